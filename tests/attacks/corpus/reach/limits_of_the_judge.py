"""Tries to take the judge's descriptors away with prlimit.

Stopped by: seccomp (for oneself only), namespaces
"""

import resource


def attempt():
    resource.prlimit(@JUDGE@, resource.RLIMIT_CORE, (0, 0))
    return 1
