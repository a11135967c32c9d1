"""Tries to read a file through /proc/self/root.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    with open("/proc/self/root@SECRET@") as file:
        return bool(file.read())
