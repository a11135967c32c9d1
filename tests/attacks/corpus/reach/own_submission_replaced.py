"""Tries to replace what was handed in while it is graded.

Stopped by: Landlock
Works without: confinement
"""

import os


def attempt():
    with open("new", "w") as file:
        file.write("better")
    os.replace("new", "@COURSE@/submitted/ada/answer.cu")
    return 1
