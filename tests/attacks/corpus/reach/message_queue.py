"""Tries to leave a message for the next answer in a POSIX queue.

Stopped by: seccomp
"""

import ctypes
import os


def attempt():
    create = os.O_CREAT | os.O_RDWR
    return ctypes.CDLL("librt.so.1").mq_open(b"/grader-attack", create, 0o666, None) >= 0
