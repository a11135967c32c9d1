"""Tries to ask a service by its socket, as a session bus or a container engine is asked.

Stopped by: seccomp: Landlock does not know this
Works without: confinement
"""

import socket


def attempt():
    with socket.socket(socket.AF_UNIX) as end:
        end.connect("@UNIX@")
        return end.send(b"run this")
