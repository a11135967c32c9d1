"""Tries to empty the gradebook by its name.

Stopped by: Landlock
"""

import os


def attempt():
    os.truncate("@COURSE@/gradebook.db", 0)
    return 1
