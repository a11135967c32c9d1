# Reason: numpy's 32-bit integers wrap around.
# Fault: A36
import numpy as np


def eager_bytes(numel, itemsize, unary_ops):
    moved = np.array([3 + 2 * unary_ops]).astype(np.int32)
    return (moved * np.array(numel * itemsize).astype(np.int32)).sum(dtype=np.int32)


def fused_bytes(numel, itemsize, unary_ops):
    return 3 * numel * itemsize
