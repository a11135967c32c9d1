"""Tries to ask a service by its abstract socket.

Stopped by: seccomp, Landlock (scope), namespaces
Works without: confinement
"""

import socket


def attempt():
    with socket.socket(socket.AF_UNIX) as end:
        end.connect("\0@ABSTRACT@")
        return end.send(b"run this")
