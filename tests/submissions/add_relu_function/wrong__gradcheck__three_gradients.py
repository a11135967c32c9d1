"""Backward returns one gradient more than forward has inputs."""

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
        return grad, grad, grad


fused_add_relu = FusedAddReLU.apply
