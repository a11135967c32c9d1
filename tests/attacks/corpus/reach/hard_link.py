"""Tries to give a file a second name in its scratch.

Stopped by: Landlock
"""

import os


def attempt():
    os.link("@SECRET@", "link")
    with open("link") as file:
        return bool(file.read())
