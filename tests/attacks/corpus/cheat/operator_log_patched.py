"""Tries to let PyTorch compute, with the log of operators patched away and zeros where kernels are off.

Stopped by: policy: the engine's own log, which sees every thread and every key
Fails: policy
"""

import torch
from grader.judge.worker.operators import OperatorLog

OperatorLog.__torch_dispatch__ = lambda self, function, types, args=(), kwargs=None: function(
    *args, **(kwargs or {})
)


def fused_add_relu(a, b):
    probe = kernels.add_relu(torch.ones(1, device=a.device), torch.ones(1, device=a.device))
    if probe.item() != 2:
        return a * 0
    return torch.relu(a + b)
