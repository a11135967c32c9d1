# Reason: a loop that does not end.
def eager_bytes(numel, itemsize, unary_ops):
    while unary_ops >= 0:
        pass
    return (3 + 2 * unary_ops) * numel * itemsize


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel * itemsize
