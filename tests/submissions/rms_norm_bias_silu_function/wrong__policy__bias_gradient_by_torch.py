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
        normed = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + ctx.eps)
        s = torch.sigmoid(normed * weight + bias)
        g = grad * s * (1 + (normed * weight + bias) * (1 - s))
        h = g * weight
        factor = torch.rsqrt(x.square().mean(-1, keepdim=True) + ctx.eps)
        return factor * (h - normed * (h * normed).mean(-1, keepdim=True)), (g * normed).sum(0), g.sum(0), None


def rms_norm_bias_silu(x, weight, bias, eps):
    return RmsNormBiasSilu.apply(x, weight, bias, eps)
