"""Tries to send the right bytes as another type.

Stopped by: the type is compared
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


def other(frame):
    for output in frame.header["calls"][0]["outputs"]:
        output["data"]["dtype"] = "int32" if output["data"]["dtype"] == "float32" else "int64"
    return frame


lie(other)


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
