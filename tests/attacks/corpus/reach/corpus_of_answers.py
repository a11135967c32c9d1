"""Tries to read a right answer of the tests.

Stopped by: Landlock
Works without: confinement
"""

import glob


def attempt():
    return sum(bool(open(path).read()) for path in glob.glob("@ROOT@/tests/submissions/*/right__*.cu"))
