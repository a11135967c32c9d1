"""There is no autograd function: the result has no gradient at all."""

def fused_add_relu(a, b):
    return kernels.add_relu(a.detach(), b.detach())
