"""Tries to read an exercise with its reference and cases.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    with open("@ROOT@/grader/exercises/add_relu.py") as file:
        return "reference" in file.read()
