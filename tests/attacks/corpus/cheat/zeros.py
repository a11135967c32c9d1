"""Tries to return zeros.

Stopped by: values with spread
Fails: close
"""

import torch


def fused_add_relu(a, b):
    return torch.zeros_like(a)
