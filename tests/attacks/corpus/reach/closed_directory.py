"""Tries to leave a directory that nobody may enter.

Stopped by: the nursery's removal, which opens it
"""

import os


def attempt():
    os.makedirs("a/b")
    os.mkdir("a/b/c", 0)
    return 0
