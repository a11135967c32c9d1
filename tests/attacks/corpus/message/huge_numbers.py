"""Tries to send a number of a million digits.

Stopped by: the reader of JSON bounds digits
Fails: close
"""

import sys

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


sys.set_int_max_str_digits(0)


def huge(frame):
    frame.header["bytes_before"] = 10**1_000_000
    return frame


lie(huge)


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
