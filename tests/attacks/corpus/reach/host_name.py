"""Tries to rename the machine.

Stopped by: seccomp, no capabilities
"""

import socket


def attempt():
    socket.sethostname(socket.gethostname())
    return 1
