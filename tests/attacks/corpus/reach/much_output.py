"""Tries to print a gigabyte.

Stopped by: RLIMIT_FSIZE on what it prints
"""

import os


def attempt():
    for _ in range(1024):
        os.write(1, bytes(1 << 20))
    return 1
