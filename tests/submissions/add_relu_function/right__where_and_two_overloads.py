"""The mask is kept as booleans and the gradient is chosen by torch.where."""

import torch
from torch import Tensor, where


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, left: Tensor, right: Tensor) -> Tensor:
        result = kernels.add_relu(left, right)
        ctx.save_for_backward(result > 0)
        ctx.set_materialize_grads(False)
        return result

    @staticmethod
    def backward(ctx, gradient: Tensor | None):
        if gradient is None:
            return None, None
        (active,) = ctx.saved_tensors
        gated = where(active, gradient, torch.zeros_like(gradient))
        return gated, gated.clone()


def fused_add_relu(a: Tensor, b: Tensor) -> Tensor:
    return Gate.apply(a, b)
