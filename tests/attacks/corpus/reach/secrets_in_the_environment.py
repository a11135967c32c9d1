"""Tries to find a secret in its own or another process's environment.

Stopped by: a minimal environment; Landlock
"""

import os


def attempt():
    found = "@TOKEN@" in str(os.environ)
    for pid in ("self", os.getppid(), @JUDGE@, 1):
        try:
            with open(f"/proc/{pid}/environ") as file:
                found |= "@TOKEN@" in file.read()
        except OSError:
            continue
    return found
