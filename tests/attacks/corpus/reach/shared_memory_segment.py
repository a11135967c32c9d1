"""Tries to leave a message for the next answer in shared memory of System V.

Stopped by: seccomp
Works without: confinement
"""

import ctypes


def attempt():
    return ctypes.CDLL(None).shmget(0x67726164, 4096, 0o1666) >= 0
