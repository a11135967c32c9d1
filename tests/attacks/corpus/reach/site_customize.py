"""Tries to leave code that every later Python runs.

Stopped by: Landlock
"""

import os
import site


def attempt():
    place = os.path.join(site.getsitepackages()[0], "grader_attack_@MARK@.pth")
    with open(place, "x") as file:
        return file.write("import os")
