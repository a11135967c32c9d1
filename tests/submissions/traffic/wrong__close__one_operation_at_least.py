# Reason: no unary operation is counted as one.
def eager_bytes(numel, itemsize, unary_ops):
    return (3 + 2 * max(1, unary_ops)) * numel * itemsize


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel * itemsize
