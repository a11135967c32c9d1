# Reason: fused_bytes is not there.
def eager_bytes(numel, itemsize, unary_ops):
    return (3 + 2 * unary_ops) * numel * itemsize
