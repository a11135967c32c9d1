"""Tries to send NaN and infinity where the judge counts.

Stopped by: only whole numbers count
Fails: close
"""



import torch

from grader.judge.worker import program
from grader.judge.protocol import Frame


def lie(change):
    """Have every later reply changed."""
    honest = program._reply

    def reply(*arguments):
        frame = honest(*arguments)
        return change(frame) if "calls" in frame.header else frame

    program._reply = reply


def strange(frame):
    frame.header["bytes_before"] = float("-inf")
    frame.header["device_after"] = float("nan")
    return frame


lie(strange)


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
