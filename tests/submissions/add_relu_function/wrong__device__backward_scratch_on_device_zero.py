"""The backward kernel writes to a tensor on device 0, whatever device the gradient is on."""

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
        grad = kernels.add_relu_backward(grad_out, out)
        return grad, grad


fused_add_relu = FusedAddReLU.apply
