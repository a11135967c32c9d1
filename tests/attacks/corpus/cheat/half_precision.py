"""Tries to compute in half precision.

Stopped by: the tolerance is that of the type
Fails: close
"""

def fused_add_relu(a, b):
    out = kernels.add_relu(a.detach(), b.detach())
    return out.half().to(out.dtype)
