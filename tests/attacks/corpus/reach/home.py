"""Tries to list the home directory.

Stopped by: Landlock
Works without: confinement
"""

import os


def attempt():
    return len(os.listdir("@HOME@"))
