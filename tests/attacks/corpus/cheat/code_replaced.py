"""Tries to replace the code of the function that reads results.

Stopped by: values are compared in another process
Fails: close
"""

import torch
from grader.judge.worker import calls


def results(result):
    return "tensor", [result]


calls.results.__code__ = results.__code__


def fused_add_relu(a, b):
    return torch.zeros_like(a)
