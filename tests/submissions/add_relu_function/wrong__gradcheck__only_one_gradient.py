"""B gets None."""

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
        return grad_out * (out > 0), None


fused_add_relu = FusedAddReLU.apply
