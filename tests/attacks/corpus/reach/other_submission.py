"""Tries to read what somebody else handed in.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    with open("@COURSE@/submitted/ada/answer.cu") as file:
        return bool(file.read())
