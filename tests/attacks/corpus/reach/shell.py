"""Tries to run a shell.

Stopped by: seccomp: no process
Works without: confinement
"""

import os


def attempt():
    return os.system("true") == 0
