"""Tries to stop the process that starts the workers.

Stopped by: Landlock (scope), seccomp, namespaces
"""

import os
import signal


def attempt():
    os.kill(os.getppid(), signal.SIGSTOP)
    return 1
