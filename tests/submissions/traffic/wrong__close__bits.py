# Reason: eight times too much: bits.
def eager_bytes(numel, itemsize, unary_ops):
    return (3 + 2 * unary_ops) * numel * itemsize * 8


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel * itemsize * 8
