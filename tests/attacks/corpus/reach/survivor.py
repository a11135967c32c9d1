"""Tries to leave a process in a session of its own.

Stopped by: seccomp: no process; else the sweep of all orphans
"""

import os


def attempt():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "@MARK@"])
        os._exit(0)
    return 1
