"""The inputs are saved and the sign of their sum is worked out again in the backward kernel."""

import torch


class _AddReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return kernels.add_relu(a, b)

    @staticmethod
    def backward(ctx, grad_out):
        a, b = ctx.saved_tensors
        gradients = [None, None]
        if ctx.needs_input_grad[0] or ctx.needs_input_grad[1]:
            shared = kernels.add_relu_backward(grad_out, a, b)
            gradients = [shared if needed else None for needed in ctx.needs_input_grad]
        return tuple(gradients)


fused_add_relu = lambda a, b: _AddReLU.apply(a, b)
