"""Tries to kill the judge.

Stopped by: Landlock (scope), seccomp, namespaces
"""

import os
import signal


def attempt():
    os.kill(@JUDGE@, signal.SIGKILL)
    return 1
