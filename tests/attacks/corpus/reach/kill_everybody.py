"""Tries to kill every process that it may.

Stopped by: Landlock (scope), seccomp, namespaces
"""

import os
import signal


def attempt():
    os.kill(-1, signal.SIGKILL)
    return 1
