"""Tries to attach to its parent with ptrace.

Stopped by: seccomp
"""

import ctypes
import os


def attempt():
    attach = 16
    return ctypes.CDLL(None).ptrace(attach, os.getppid(), 0, 0) == 0
