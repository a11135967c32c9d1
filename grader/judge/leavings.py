"""What a worker leaves in its scratch: seen and removed whatever its names, modes, depth or number."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

_ENTRIES = 20_000
_FEW = 200
_BLOCK = 512


def is_more_than(directory: Path, size: int) -> bool:
    """Whether the files below take more than `size` bytes, or are more than can be looked through."""
    total = 0
    for number, entry in enumerate(_below(directory)):
        try:
            total += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
        except OSError:
            continue
        if total > size or number > _ENTRIES:
            return True
    return False


def _below(directory: Path) -> Iterator[os.DirEntry[str]]:
    """Yield every entry; not by `os.walk`, whose stack a deep tree exhausts."""
    folders = [str(directory)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue


def remove(directory: Path) -> subprocess.Popen[bytes] | None:
    """Remove a directory and all below it; return the process that still does it where there is much to do.

    A tree of 3000 levels takes 12 s to remove, and nobody is to wait for that.
    """
    if _is_simple(directory):
        shutil.rmtree(directory, ignore_errors=True)
        return None
    program = 'chmod -R u+rwx -- "$1"; rm -rf -- "$1"'
    return subprocess.Popen(
        ["sh", "-c", program, "sh", str(directory)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def _is_simple(directory: Path) -> bool:
    """Whether there are few entries, each readable directory among them an empty or shallow one."""
    entries = [entry for _, entry in zip(range(_FEW + 1), _below(directory), strict=False)]
    folders = (entry for entry in entries if entry.is_dir(follow_symlinks=False))
    return len(entries) <= _FEW and all(os.access(folder.path, os.R_OK | os.X_OK) for folder in folders)
