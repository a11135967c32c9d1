"""Tries to compute once for the first values.

Stopped by: values are drawn; two calls differ everywhere
Fails: close
"""

known = {}


def fused_add_relu(a, b):
    key = (a.shape, a.dtype, bool(a.flatten()[0] > 0))
    if key not in known:
        known[key] = kernels.add_relu(a.detach(), b.detach())
    return known[key]
