"""Tries to import the exercises.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    from grader.exercises import get

    return get("add_relu").reference is not None
