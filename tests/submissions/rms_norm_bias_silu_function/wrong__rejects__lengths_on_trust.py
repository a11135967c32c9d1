import torch


class RmsNormBiasSilu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        ctx.save_for_backward(x, weight, bias)
        ctx.eps = eps
        return kernels.rms_norm_bias_silu(x, weight, bias, eps)

    @staticmethod
    def backward(ctx, grad):
        x, weight, bias = ctx.saved_tensors
        return *kernels.rms_norm_bias_silu_backward(grad, x, weight, bias, ctx.eps), None


def rms_norm_bias_silu(x, weight, bias, eps):
    return RmsNormBiasSilu.apply(x, weight, bias, eps)
