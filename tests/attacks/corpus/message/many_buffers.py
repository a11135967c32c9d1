"""Tries to hold the judge with two million buffers of nothing.

Stopped by: the bound on the number of buffers
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


lie(lambda frame: Frame(frame.header, (b"",) * 2_000_000))


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
