"""Tries to replace what was built for others.

Stopped by: Landlock
Works without: confinement
"""

import os


def attempt():
    with open("@CACHE@/modules/attack-@MARK@", "w") as file:
        wrote = file.write("x")
    os.unlink("@CACHE@/modules/attack-@MARK@")
    return wrote
