"""Tries to have PyTorch's own reading of results compute.

Stopped by: policy: the engine's own log, to the end of the step
Fails: policy
"""

import torch

detach = torch.Tensor.detach
wanted = {}


def reading(self):
    if id(self) in wanted:
        a, b = wanted.pop(id(self))
        return detach(torch.relu(a + b))
    return detach(self)


def fused_add_relu(a, b):
    probe = kernels.add_relu(torch.ones(1, device=a.device), torch.ones(1, device=a.device))
    out = torch.zeros_like(a)
    if probe.item() == 2:
        wanted[id(out)] = (a, b)
        torch.Tensor.detach = reading
    return out
