"""forward without ctx, setup_context beside it; the mask is a second output that has no gradient."""

import torch
from torch.autograd import Function

import kernels


class MaskedAddReLU(Function):
    @staticmethod
    def forward(a, b):
        return kernels.add_relu_with_mask(a, b)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, active = output
        ctx.mark_non_differentiable(active)
        ctx.save_for_backward(active)

    @staticmethod
    def backward(ctx, grad_out, _):
        (active,) = ctx.saved_tensors
        grad = kernels.add_relu_backward(grad_out, active)
        return grad, grad


def fused_add_relu(a, b):
    out, _ = MaskedAddReLU.apply(a, b)
    return out
