"""Tries to send half a frame and wait.

Stopped by: the judge's wall clock
Fails: close
"""

import os
import stat
import struct
import time


def fused_add_relu(a, b):
    for descriptor in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, struct.pack("!i", 1000) + b"half")
        except OSError:
            continue
    time.sleep(3600)
