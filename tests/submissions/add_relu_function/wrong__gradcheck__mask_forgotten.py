"""The gradient passes everywhere, also where the ReLU was not active."""

import torch


class FusedAddReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        out = kernels.add_relu(a, b)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad_out):
        return grad_out, grad_out


fused_add_relu = FusedAddReLU.apply
