"""Nothing but a call: the C++ side registers its own backward."""

import kernels


def fused_add_relu(a, b):
    return kernels.add_relu(a, b)
