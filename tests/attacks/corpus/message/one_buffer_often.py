"""Tries to fill the judge's memory with one buffer that 1000 results share.

Stopped by: a buffer holds one tensor
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


def often(frame):
    call = frame.header["calls"][0]
    call["outputs"] = call["outputs"][:1] * 1000
    return frame


lie(often)


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
