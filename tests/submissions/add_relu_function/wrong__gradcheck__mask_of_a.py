"""The mask is taken from a, not from the sum."""

import torch


class FusedAddReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a)
        return kernels.add_relu(a, b)

    @staticmethod
    def backward(ctx, grad_out):
        (a,) = ctx.saved_tensors
        grad = grad_out * (a > 0)
        return grad, grad


fused_add_relu = FusedAddReLU.apply
