class RowScale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        needs_x, needs_s = ctx.needs_input_grad
        ctx.save_for_backward(x if needs_s else None, s if needs_x else None)
        return kernels.row_scale(x, s)

    @staticmethod
    def backward(ctx, grad):
        x, s = ctx.saved_tensors
        grad_x = None if s is None else kernels.row_scale(grad, s)
        grad_s = None if x is None else kernels.row_dot(grad, x)
        return grad_x, grad_s


def row_scale(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    """Scale each row of x by its element of s."""
    return RowScale.apply(x, s)
