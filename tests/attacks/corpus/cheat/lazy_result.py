"""Tries to return a tensor that computes only when it is read, after the log has ended.

Stopped by: results are read by functions of PyTorch that were taken before the answer was loaded
Fails: close
"""

import torch


def fused_add_relu(a, b):
    probe = kernels.add_relu(torch.ones(1, device=a.device), torch.ones(1, device=a.device))
    out = torch.zeros_like(a)
    if probe.item() == 2:
        out.detach = lambda: torch.relu(a + b)
    return out
