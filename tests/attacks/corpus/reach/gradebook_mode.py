"""Tries to take the gradebook's permissions away, which Landlock does not know.

Stopped by: seccomp (chmod); with namespaces it is not there
Works without: confinement
"""

import os


def attempt():
    os.chmod("@COURSE@/gradebook.db", 0)
    return 1
