"""Tries to talk to the kernel by netlink.

Stopped by: seccomp
Works without: confinement
"""

import socket


def attempt():
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()
    return 1
