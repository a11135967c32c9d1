"""Tries to have torch.autograd.grad return what PyTorch computes.

Stopped by: policy: the operators that ran backward
Fails: policy
"""

import torch

grad = torch.autograd.grad
last = []


def patched(outputs, inputs, grad_outputs=None, **options):
    a, b = last[-1]
    return grad(torch.relu(a + b), inputs, grad_outputs, **options)


torch.autograd.grad = patched


class Forward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return kernels.add_relu(a, b)

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


def fused_add_relu(a, b):
    last.append((a, b))
    return Forward.apply(a, b)
