"""Tries to take memory as files that have no name.

Stopped by: seccomp: no memfd
Works without: confinement
"""

import os


def attempt():
    return len([os.ftruncate(os.memfd_create(str(n)), 64 << 20) for n in range(100)])
