"""Tries to exhaust the judge's stack with a header of 100,000 brackets.

Stopped by: the header's depth is checked by the reader of JSON
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


def deep(frame):
    value = []
    for _ in range(500):
        value = [value]
    frame.header["reports"] = [{"kind": value, "other": value}]
    return frame


lie(deep)


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
