# Reason: a division makes floats of the numbers.
def eager_bytes(numel, itemsize, unary_ops):
    return (6 + 4 * unary_ops) * numel * itemsize / 2


def fused_bytes(numel, itemsize, unary_ops):
    return 6 * numel * itemsize / 2
