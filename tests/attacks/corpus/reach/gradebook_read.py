"""Tries to read the gradebook.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    with open("@COURSE@/gradebook.db", "rb") as file:
        return bool(file.read())
