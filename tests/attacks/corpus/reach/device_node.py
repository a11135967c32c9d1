"""Tries to make a device node for the disk.

Stopped by: Landlock (no nodes), seccomp, no capabilities
"""

import os
import stat


def attempt():
    os.mknod("disk", stat.S_IFBLK | 0o600, os.makedev(254, 0))
    with open("disk", "rb") as disk:
        return len(disk.read(512))
