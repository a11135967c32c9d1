"""Tries to read the password file.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    with open("/etc/passwd") as file:
        return "root" in file.read()
