"""Tries to set the machine's clock.

Stopped by: seccomp, no capabilities
"""

import time


def attempt():
    time.clock_settime(time.CLOCK_REALTIME, time.time())
    return 1
