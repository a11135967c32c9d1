"""Tries to end the process with success.

Stopped by: a worker without a result earns nothing
Fails: close
"""

import os


def fused_add_relu(a, b):
    os._exit(0)
