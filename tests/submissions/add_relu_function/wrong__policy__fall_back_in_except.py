"""Every failure of the kernel is hidden by a torch fall-back, and the kernel always fails."""

import torch


class FusedAddReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        try:
            out = kernels.add_relu_forward(a, b)
        except AttributeError:
            kernels.add_relu(a, b)
            out = torch.clamp_min(a + b, 0)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad_out):
        (out,) = ctx.saved_tensors
        grad = grad_out * (out > 0)
        return grad, grad


fused_add_relu = FusedAddReLU.apply
