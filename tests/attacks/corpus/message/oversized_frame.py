"""Tries to announce a frame of 2 EB.

Stopped by: the bound on a frame
Fails: close
"""

import os
import stat
import struct


def fused_add_relu(a, b):
    for descriptor in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, struct.pack("!iQ", -1, 1 << 61))
        except OSError:
            continue
    while True:
        pass
