class Lazy(torch.Tensor):
    pass


class RowScale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.save_for_backward(x, s)
        return kernels.row_scale(x, s)

    @staticmethod
    def backward(ctx, grad):
        x, s = ctx.saved_tensors
        return kernels.row_scale(grad, s), kernels.row_dot(grad, x)


def row_scale(x, s):
    return RowScale.apply(x, s).as_subclass(Lazy)
