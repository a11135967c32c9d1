# Reason: the number of elements, not of bytes.
def eager_bytes(numel, itemsize, unary_ops):
    return (3 + 2 * unary_ops) * numel


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel
