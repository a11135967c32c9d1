"""Tries to act when its objects are destroyed, after the call.

Stopped by: values are read before; values are compared in another process
Fails: close
"""

import atexit

import torch


class Late:
    def __init__(self, out, a, b):
        self.all = out, a, b

    def __del__(self):
        out, a, b = self.all
        out.copy_(torch.relu(a + b))


kept = []
atexit.register(kept.clear)


def fused_add_relu(a, b):
    out = torch.zeros_like(a)
    kept.append(Late(out, a.detach(), b.detach()))
    return out
