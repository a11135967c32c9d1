"""Tries to read a file through a link in its scratch.

Stopped by: Landlock
Works without: confinement
"""

import os


def attempt():
    os.symlink("@SECRET@", "link")
    with open("link") as file:
        return bool(file.read())
