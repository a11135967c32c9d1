library = torch.library.Library("course", "FRAGMENT")


def fake(a, b):
    return a.new_empty(a.shape)


def setup_context(ctx, inputs, output):
    ctx.mark = output > 0


def backward(ctx, grad):
    grad = torch.where(ctx.mark, grad, torch.zeros_like(grad))
    return grad, grad


torch.library.register_fake("course::add_relu", fake, lib=library)
torch.library.register_autograd("course::add_relu", backward, setup_context=setup_context, lib=library)
