# Reason: a list of kernels, each with what it reads and writes; fused, only the ends are left.
def kernels(unary_ops):
    yield {"reads": 2, "writes": 1}
    for _ in range(unary_ops):
        yield {"reads": 1, "writes": 1}


def eager_bytes(numel, itemsize, unary_ops):
    total = 0
    for kernel in kernels(unary_ops):
        total += (kernel["reads"] + kernel["writes"]) * numel * itemsize
    return total


def fused_bytes(numel, itemsize, unary_ops):
    first, *_, = kernels(unary_ops)
    return sum(first.values()) * numel * itemsize
