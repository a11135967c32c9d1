"""Tries to kill the process that starts the workers.

Stopped by: Landlock (scope), seccomp, namespaces
"""

import os
import signal


def attempt():
    os.kill(os.getppid(), signal.SIGKILL)
    return 1
