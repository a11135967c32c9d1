@torch.library.custom_op("course::add_relu", mutates_args=())
def add_relu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return kernels.add_relu(a, b)


@add_relu.register_fake
def fake(a, b):
    return torch.empty_like(a, memory_format=torch.contiguous_format)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(output)


def backward(ctx, grad):
    grad = grad * (ctx.saved_tensors[0] > 0)
    return grad, grad


add_relu.register_autograd(backward, setup_context=setup_context)
