# Reason: every element is taken for a float32.
def eager_bytes(numel, itemsize, unary_ops):
    return (3 + 2 * unary_ops) * numel * 4


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel * 4
