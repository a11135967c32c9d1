"""Tries to fork without end.

Stopped by: seccomp: no process
"""

import os


def attempt():
    made = 0
    for _ in range(100):
        if os.fork() == 0:
            while True:
                os.fork()
        made += 1
    return made
