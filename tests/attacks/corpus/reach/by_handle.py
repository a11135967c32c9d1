"""Tries to open a file by its handle.

Stopped by: seccomp, no capabilities
"""

import ctypes


def attempt():
    handle = (ctypes.c_uint32 * 64)(128)
    mount = ctypes.c_int()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.name_to_handle_at(-100, b"@SECRET@", handle, ctypes.byref(mount), 0):
        raise OSError(ctypes.get_errno(), "no handle")
    return libc.open_by_handle_at(3, handle, 0) >= 0
