# Reason: every operation is counted as three tensors.
def eager_bytes(numel, itemsize, unary_ops):
    return (1 + unary_ops) * 3 * numel * itemsize


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel * itemsize
