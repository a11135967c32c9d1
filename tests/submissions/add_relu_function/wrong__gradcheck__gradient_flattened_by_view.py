"""View(-1) raises for an incoming gradient that is strided or expanded."""

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
        grad = kernels.add_relu_backward(grad_out.view(-1), out.view(-1)).view(out.shape)
        return grad, grad


fused_add_relu = FusedAddReLU.apply
