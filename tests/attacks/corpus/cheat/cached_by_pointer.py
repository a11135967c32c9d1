"""Tries to compute once for a pointer.

Stopped by: memory is used again with other values
Fails: close
"""

known = {}


def fused_add_relu(a, b):
    key = (a.data_ptr() % 4096, a.shape)
    if key not in known:
        known[key] = kernels.add_relu(a.detach(), b.detach())
    return known[key]
