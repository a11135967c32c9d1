"""Tries to read the command lines of other processes.

Stopped by: Landlock: of /proc only its own entry; namespaces: there are none
Works without: confinement
"""

import os


def attempt():
    found = 0
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/cmdline") as file:
                    found += bool(file.read())
            except OSError:
                continue
    return found
