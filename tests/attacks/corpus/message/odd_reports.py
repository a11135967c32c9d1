"""Tries to make the judge stumble over a report with texts for numbers.

Stopped by: reports are read key by key
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
    frame.header["reports"] = [{"kind": "data_race", "line": "7", "count": "many", "other": {"line": [1]}}]
    return frame


lie(odd)


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
