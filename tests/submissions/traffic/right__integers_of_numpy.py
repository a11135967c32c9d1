# Reason: numpy's 64-bit integers count as whole numbers.
import numpy as np


def eager_bytes(numel, itemsize, unary_ops):
    moved = np.array([2, 1] + [1, 1] * unary_ops, dtype=np.int64)
    return (moved * np.int64(numel) * np.int64(itemsize)).sum()


def fused_bytes(numel, itemsize, unary_ops):
    return np.int64(3) * np.int64(numel) * itemsize
