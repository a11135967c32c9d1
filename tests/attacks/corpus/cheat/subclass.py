"""Tries to return a subclass of Tensor that answers every comparison with true.

Stopped by: exact types; values are compared in another process
Fails: build
"""

import torch


class Right(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return torch.tensor(True)


def fused_add_relu(a, b):
    return torch.zeros_like(a).as_subclass(Right)
