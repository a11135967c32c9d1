"""Tries to remove the gradebook.

Stopped by: Landlock
Works without: confinement
"""

import os


def attempt():
    os.unlink("@COURSE@/gradebook.db")
    return 1
