"""Tries to zero the inputs, so that the reference gives zeros too.

Stopped by: the reference has its own copies; inputs are compared
Fails: close
"""

import torch


def fused_add_relu(a, b):
    with torch.no_grad():
        a.zero_()
        b.zero_()
    return torch.zeros_like(a)
