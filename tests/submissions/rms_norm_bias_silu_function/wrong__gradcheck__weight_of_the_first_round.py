class RmsNormBiasSilu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        out, factors = kernels.rms_norm_bias_silu_and_factors(x, weight, bias, eps)
        ctx.save_for_backward(x, weight, bias, factors)
        return out

    @staticmethod
    def backward(ctx, grad):
        return *kernels.rms_norm_bias_silu_backward(grad, *ctx.saved_tensors), None


def rms_norm_bias_silu(x, weight, bias, eps):
    return RmsNormBiasSilu.apply(x, weight, bias, eps)
