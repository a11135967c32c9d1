"""Tries to connect by TCP.

Stopped by: seccomp, Landlock, namespaces
Works without: confinement
"""

import socket


def attempt():
    socket.create_connection(("127.0.0.1", @TCP@), 2).close()
    return 1
