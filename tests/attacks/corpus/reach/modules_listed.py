"""Tries to list what was built for others.

Stopped by: Landlock
Works without: confinement
"""

import os


def attempt():
    return len(os.listdir("@CACHE@/modules"))
