"""Tries to watch another's directory for names.

Stopped by: seccomp: Landlock does not know this
Works without: confinement
"""

import ctypes


def attempt():
    libc = ctypes.CDLL(None)
    return libc.inotify_add_watch(libc.inotify_init(), b"@COURSE@/submitted", 0xFFF) >= 0
