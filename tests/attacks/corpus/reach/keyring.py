"""Tries to leave a key in the user's keyring.

Stopped by: seccomp
"""

import ctypes


def attempt():
    number = 248
    return ctypes.CDLL(None).syscall(number, b"user", b"grader-attack", b"42", 2, -4) >= 0
