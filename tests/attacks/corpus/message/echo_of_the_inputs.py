"""Tries to return its inputs' own memory as the result, which the reference then would read.

Stopped by: the reference never shares memory with the worker
Fails: close
"""


def fused_add_relu(a, b):
    return a
