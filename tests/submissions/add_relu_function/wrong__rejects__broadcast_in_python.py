"""The Python side expands a smaller b instead of refusing it."""

import torch


class FusedAddReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        out = kernels.add_relu(a, b)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad_out):
        (out,) = ctx.saved_tensors
        grad = grad_out * (out > 0)
        return grad, grad


def fused_add_relu(a, b):
    return FusedAddReLU.apply(*torch.broadcast_tensors(a, b))
