@torch.library.register_fake("course::add_relu")
def fake(a, b):
    torch._check(a.shape == b.shape)
    return torch.empty_like(a, memory_format=torch.contiguous_format)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(output)


def backward(ctx, grad):
    (output,) = ctx.saved_tensors
    grad = grad * (output > 0)
    return grad, grad


torch.library.register_autograd("course::add_relu", backward, setup_context=setup_context)
