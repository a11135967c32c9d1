"""Tries to open files without end.

Stopped by: RLIMIT_NOFILE
"""

import os


def attempt():
    return len([os.open("/dev/null", os.O_RDONLY) for _ in range(5000)])
