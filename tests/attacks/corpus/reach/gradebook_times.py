"""Tries to change the gradebook's times.

Stopped by: seccomp (utimensat)
Works without: confinement
"""

import os


def attempt():
    os.utime("@COURSE@/gradebook.db", (1, 1))
    return 1
