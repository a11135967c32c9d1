"""Tries to let PyTorch compute where kernels are on, and return zeros where they were switched off.

Stopped by: policy: the operators that ran
Fails: policy
"""

import torch
from grader import simulator

enabled = [True]
honest = simulator.set_kernels_enabled


def watched(value):
    enabled[0] = value
    honest(value)


simulator.set_kernels_enabled = watched


def fused_add_relu(a, b):
    return torch.relu(a + b) if enabled[0] else a * 0
