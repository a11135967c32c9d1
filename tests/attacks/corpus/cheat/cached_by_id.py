"""Tries to compute once for an object's id.

Stopped by: every call has other values; ids come again
Fails: gradcheck
"""

known = {}


def fused_add_relu(a, b):
    key = (id(a) % 4096, a.shape)
    if key not in known:
        known[key] = kernels.add_relu(a.detach(), b.detach())
    return known[key]
