"""Backward edits the incoming gradient in place, which other branches share."""

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
        if grad_out.is_contiguous():
            grad = grad_out.mul_(out > 0)
        else:
            grad = grad_out * (out > 0)
        return grad, grad


fused_add_relu = FusedAddReLU.apply
