"""Tries to become root in namespaces of its own.

Stopped by: seccomp
Works without: confinement
"""

import ctypes


def attempt():
    user, network = 0x10000000, 0x40000000
    return ctypes.CDLL(None).unshare(user | network) == 0
