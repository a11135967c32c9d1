"""Tries to return fresh memory, in the hope that the reference's result lies there.

Stopped by: fresh memory is poisoned; the reference is elsewhere
Fails: close
"""

import torch


def fused_add_relu(a, b):
    return torch.empty_like(a)
