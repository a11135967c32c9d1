"""Tries to find references or expected values among Python's objects.

Stopped by: there are none: the nursery knows no exercise
"""

import gc
import sys


def attempt():
    modules = [name for name in sys.modules if name.startswith(("grader.exercise", "grader.checks"))]
    kinds = {"Exercise", "Drawn", "Case", "Verdict", "Judge"}
    found = [one for one in gc.get_objects() if type(one).__name__ in kinds and "grader" in type(one).__module__]
    return len(modules) + len(found)
