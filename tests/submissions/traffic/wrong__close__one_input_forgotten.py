# Reason: a + b reads two tensors, and here one.
def eager_bytes(numel, itemsize, unary_ops):
    return (2 + 2 * unary_ops) * numel * itemsize


def fused_bytes(numel, itemsize, unary_ops):
    return 2 * numel * itemsize
