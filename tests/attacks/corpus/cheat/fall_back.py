"""Tries to call PyTorch where its kernel fails.

Stopped by: policy: the operators that ran
Fails: policy
"""

import torch


def fused_add_relu(a, b):
    try:
        return kernels.no_such_kernel(a, b)
    except AttributeError:
        return torch.nn.functional.relu(torch.add(a, b))
