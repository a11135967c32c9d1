"""Tries to read the lesson with the model answer.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    with open("@ROOT@/solutions/02_load_inline.md") as file:
        return bool(file.read())
