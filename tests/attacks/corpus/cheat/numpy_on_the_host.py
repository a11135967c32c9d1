"""Tries to let NumPy compute on the host, and return zeros where kernels are off.

Stopped by: policy: values may not come from the host's memory
Fails: policy
"""

import numpy
import torch


def fused_add_relu(a, b):
    probe = kernels.add_relu(torch.ones(1, device=a.device), torch.ones(1, device=a.device))
    if probe.item() != 2:
        return a * 0
    return torch.from_numpy(numpy.maximum(a.detach().cpu().numpy() + b.detach().cpu().numpy(), 0)).to(a.device)
