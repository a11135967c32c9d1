"""Tries to read a file of the instructor's.

Stopped by: Landlock; with namespaces it is not there
Works without: confinement
"""


def attempt():
    with open("@SECRET@") as file:
        return bool(file.read())
