"""Tries to open files and sockets by io_uring, past the filters.

Stopped by: seccomp
"""

import ctypes


def attempt():
    return ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120)) >= 0
