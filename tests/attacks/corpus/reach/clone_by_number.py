"""Tries to fork by the bare system call.

Stopped by: seccomp: no process
"""

import ctypes
import platform


def attempt():
    number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    child = ctypes.CDLL(None).syscall(number, 17, 0, 0, 0, 0)
    if child == 0:
        import os

        os._exit(0)
    return child > 0
