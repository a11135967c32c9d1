"""Tries to take memory that no limit counts.

Stopped by: seccomp: no shared anonymous memory
Works without: confinement
"""

import mmap


def attempt():
    return len(mmap.mmap(-1, 4 << 30))
