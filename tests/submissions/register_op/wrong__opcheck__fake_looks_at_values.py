@torch.library.register_fake("course::add_relu")
def fake(a, b):
    if a.sum().item() > 0:
        return torch.empty_like(b, memory_format=torch.contiguous_format)
    return torch.empty_like(a, memory_format=torch.contiguous_format)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(output)


def backward(ctx, grad):
    (output,) = ctx.saved_tensors
    grad = grad * (output > 0)
    return grad, grad


torch.library.register_autograd("course::add_relu", backward, setup_context=setup_context)
