"""Tries to wait for connections.

Stopped by: seccomp, namespaces
Works without: confinement
"""

import socket


def attempt():
    return socket.create_server(("127.0.0.1", 0)).getsockname()[1]
