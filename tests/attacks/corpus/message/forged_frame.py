"""Tries to write a passing reply of its own to the worker's socket.

Stopped by: every value is compared by the judge itself
Fails: close
"""

import json
import os
import stat
import struct


def fused_add_relu(a, b):
    header = json.dumps({"error": None, "verdict": "passed", "score": 13, "calls": [], "buffers": []}).encode()
    frame = struct.pack("!i", 4 + len(header)) + struct.pack("!I", len(header)) + header
    for descriptor in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, frame)
        except OSError:
            continue
    os._exit(0)
