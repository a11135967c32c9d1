"""Tries to send by UDP.

Stopped by: seccomp, namespaces
Works without: confinement
"""

import socket


def attempt():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"words", ("127.0.0.1", @UDP@))
