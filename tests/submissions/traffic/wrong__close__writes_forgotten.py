# Reason: only what is read is counted.
def eager_bytes(numel, itemsize, unary_ops):
    return (2 + unary_ops) * numel * itemsize


def fused_bytes(numel, itemsize, unary_ops):
    return 2 * numel * itemsize
