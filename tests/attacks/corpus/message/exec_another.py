"""Tries to become another program that replies with success.

Stopped by: seccomp; a worker without a result earns nothing
Fails: close
"""

import os


def fused_add_relu(a, b):
    os.execv("/bin/sh", ["sh", "-c", "printf passed; exit 0"])
