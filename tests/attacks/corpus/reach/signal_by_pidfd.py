"""Tries to signal the judge through a pidfd.

Stopped by: seccomp, namespaces
"""

import os
import signal


def attempt():
    signal.pidfd_send_signal(os.pidfd_open(@JUDGE@), signal.SIGTERM)
    return 1
