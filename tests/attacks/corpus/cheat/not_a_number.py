"""Tries to return NaN, which compares with nothing.

Stopped by: NaN is a mismatch
Fails: close
"""

import torch


def fused_add_relu(a, b):
    return torch.full_like(a, float("nan"))
