"""Capabilities: what makes root more than a user, given up for ever.  See capabilities(7)."""

from __future__ import annotations

import ctypes
import os

_CAPSET = {"x86_64": 126, "aarch64": 91}
_VERSION_3 = 0x20080522
_DROP_FROM_BOUNDING = 24
_HIGHEST = 63


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Set(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def drop() -> None:
    """Leave this process, and all that it starts, no capability: no device nodes, no mounts."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(_HIGHEST + 1):
        libc.prctl(_DROP_FROM_BOUNDING, capability, 0, 0, 0)  # refused to those who have nothing to drop
    number = _CAPSET.get(os.uname().machine)
    if number is None:
        return
    header = _Header(_VERSION_3, 0)
    if libc.syscall(number, ctypes.byref(header), ctypes.byref((_Set * 2)())) != 0:
        raise OSError(ctypes.get_errno(), "capabilities could not be dropped")
