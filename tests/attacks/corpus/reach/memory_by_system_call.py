"""Tries to read the memory of the parent by process_vm_readv.

Stopped by: seccomp
"""

import ctypes
import os


class Piece(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))


def attempt():
    buffer = ctypes.create_string_buffer(16)
    mine, theirs = Piece(ctypes.addressof(buffer), 16), Piece(id(buffer), 16)
    got = ctypes.CDLL(None).process_vm_readv(os.getppid(), ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
    return got > 0
