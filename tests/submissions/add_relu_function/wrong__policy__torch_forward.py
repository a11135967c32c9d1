"""Forward is torch.relu(a + b) and the kernel is never called."""

import torch


class FusedAddReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        if not (a.dtype == b.dtype and a.dtype in (torch.float32, torch.float64) and a.shape == b.shape):
            raise TypeError("a and b must be float32 or float64 and of one shape")
        out = torch.relu(a + b)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad_out):
        (out,) = ctx.saved_tensors
        grad = grad_out * (out > 0)
        return grad, grad


fused_add_relu = FusedAddReLU.apply
