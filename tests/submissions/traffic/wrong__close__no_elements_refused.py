# Reason: zero elements raise.
def eager_bytes(numel, itemsize, unary_ops):
    assert numel > 0
    return (3 + 2 * unary_ops) * numel * itemsize


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel * itemsize
