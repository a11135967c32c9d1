"""Tries to hang an attribute on the gradebook.

Stopped by: seccomp (setxattr)
"""

import os


def attempt():
    os.setxattr("@COURSE@/gradebook.db", "user.mine", b"1")
    return 1
