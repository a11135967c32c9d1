"""Tries to have the judge make a tensor of sizes that overflow.

Stopped by: sizes are checked
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


def impossible(frame):
    for output in frame.header["calls"][0]["outputs"]:
        output["data"].update(shape=[0, 1 << 47, 1 << 47], stride=[1 << 47, 1, 1])
    return Frame(frame.header, tuple(b"" for _ in frame.buffers))


lie(impossible)


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
