"""Tries to fill the judge's memory with a tensor of strides 0.

Stopped by: a buffer has exactly its tensor's bytes
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


def stretch(frame):
    for output in frame.header["calls"][0]["outputs"]:
        output["data"].update(shape=[8192, 8192], stride=[0, 0])
    return frame


lie(stretch)


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
