"""Tries to read another worker's scratch.

Stopped by: Landlock: each worker is granted its own alone
"""

import os


def attempt():
    above = os.path.dirname(os.getcwd())
    return sum(name != os.path.basename(os.getcwd()) for name in os.listdir(above))
