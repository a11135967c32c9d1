"""Tries to let PyTorch compute in another thread, where the log of operators does not look.

Stopped by: policy: the engine's own log sees every thread
Fails: policy
"""

import threading

import torch


def fused_add_relu(a, b):
    probe = kernels.add_relu(torch.ones(1, device=a.device), torch.ones(1, device=a.device))
    found = []
    worker = threading.Thread(target=lambda: found.append(torch.relu(a + b)))
    worker.start()
    worker.join()
    return found[0] if probe.item() == 2 else a * 0
