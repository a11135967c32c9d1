"""Tries to let PyTorch compute instead of a kernel.

Stopped by: policy: the operators that ran
Fails: policy
"""

import torch


def fused_add_relu(a, b):
    kernels.add_relu(a.detach(), b.detach())
    return torch.relu(a + b)
