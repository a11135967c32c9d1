"""Tries to return infinity, which any tolerance covers.

Stopped by: infinity is a mismatch
Fails: close
"""

import torch


def fused_add_relu(a, b):
    return torch.full_like(a, float("inf"))
