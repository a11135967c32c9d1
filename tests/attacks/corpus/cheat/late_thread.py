"""Tries to return at once and compute in a thread.

Stopped by: results are read when the call has returned
Fails: close
"""

import threading
import time

import torch


def fused_add_relu(a, b):
    out = torch.zeros_like(a)

    def later(a, b):
        time.sleep(0.3)
        out.copy_(kernels.add_relu(a, b))

    threading.Thread(target=later, args=(a.detach(), b.detach()), daemon=True).start()
    return out
