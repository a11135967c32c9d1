# Reason: itemsize is missing.
def eager_bytes(numel, unary_ops):
    return (3 + 2 * unary_ops) * numel * 4


def fused_bytes(numel, unary_ops):
    return 3 * numel * 4
