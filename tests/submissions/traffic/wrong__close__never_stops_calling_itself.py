# Reason: the recursion has no end.
# Fault: C49
def eager_bytes(numel, itemsize, unary_ops):
    return eager_bytes(numel, itemsize, unary_ops + 1)


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel * itemsize
