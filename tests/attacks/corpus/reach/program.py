"""Tries to run a program in its own place.

Stopped by: seccomp: no program
"""

import os


def attempt():
    os.execv("/bin/sh", ["sh", "-c", "sleep 0.1; exit 0"])
