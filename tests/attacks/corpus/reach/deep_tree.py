"""Tries to leave a directory tree that is too deep to be removed.

Stopped by: the nursery's removal, which does not recurse
"""

import os


def attempt():
    for _ in range(3000):
        os.mkdir("d")
        os.chdir("d")
    return 0
