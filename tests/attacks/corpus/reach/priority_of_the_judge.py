"""Tries to make the judge slow with setpriority.

Stopped by: seccomp (for oneself only), namespaces
"""

import os


def attempt():
    os.setpriority(os.PRIO_PROCESS, @JUDGE@, os.getpriority(os.PRIO_PROCESS, @JUDGE@))
    return 1
