"""Tries to mount a file system.

Stopped by: seccomp, no capabilities
"""

import ctypes
import os


def attempt():
    os.mkdir("m")
    return ctypes.CDLL(None).mount(b"none", b"m", b"tmpfs", 0, None) == 0
