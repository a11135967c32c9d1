"""Tries to change the grader itself.

Stopped by: Landlock
"""

import os


def attempt():
    import grader.judge.protocol as protocol

    with open(protocol.__file__, "r+") as file:
        return bool(file.read())
