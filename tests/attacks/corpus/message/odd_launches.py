"""Tries to make the judge stumble over a launch that is none.

Stopped by: launches are read key by key
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


def odd(frame):
    frame.header["launches"] = [{"stream": {"id": 0}, "bytes": float("nan")}]
    return frame


lie(odd)


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
