"""Tries to compute once for a shape.

Stopped by: every call has other values
Fails: close
"""

known = {}


def fused_add_relu(a, b):
    if a.shape not in known:
        known[a.shape] = kernels.add_relu(a.detach(), b.detach())
    return known[a.shape]
