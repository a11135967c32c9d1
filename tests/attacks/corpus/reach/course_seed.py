"""Tries to read the course's secret seed.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    with open("@COURSE@/.grader_seed") as file:
        return bool(file.read())
