# Reason: the first function has another name.
def eager_byte(numel, itemsize, unary_ops):
    return (3 + 2 * unary_ops) * numel * itemsize


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel * itemsize
