# Reason: one kernel, but every result still goes to memory.
def eager_bytes(numel, itemsize, unary_ops):
    return (3 + 2 * unary_ops) * numel * itemsize


def fused_bytes(numel, itemsize, unary_ops):
    return (3 + unary_ops) * numel * itemsize
