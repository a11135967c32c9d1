"""Tries to take 100 GB of memory.

Stopped by: RLIMIT_DATA
"""


def attempt():
    return len(bytearray(100 << 30))
