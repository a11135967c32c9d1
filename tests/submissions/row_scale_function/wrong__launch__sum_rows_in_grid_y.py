class RowScale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.save_for_backward(x, s)
        return kernels.row_scale(x, s)

    @staticmethod
    def backward(ctx, grad):
        x, s = ctx.saved_tensors
        grad_x = kernels.row_scale(grad, s) if ctx.needs_input_grad[0] else None
        grad_s = kernels.row_dot(grad, x) if ctx.needs_input_grad[1] else None
        return grad_x, grad_s


row_scale = RowScale.apply
