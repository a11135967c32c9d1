"""How much a worker may take: memory by the machine's size, time, files, threads."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from grader.toolchain.memory import machine_bytes

_MOST_BYTES = 8 << 30
_LEAST_BYTES = 2 << 30
_FILE_BYTES = 64 << 20
_OPEN_FILES = 256
_CPU_SECONDS = 900
"""More than every step's wall clock of an exercise together; a thread that is left over ends with it."""
_TASKS = 512


def worker_bytes() -> int:
    """Return how much memory one worker may take: half of what there is, from 2 to 8 GiB."""
    return max(_LEAST_BYTES, min(_MOST_BYTES, machine_bytes() // 2))


def limit_worker(data_bytes: int | None) -> None:
    """Bound this process.  Not the address space: the simulator reserves a lot of it."""
    if data_bytes is not None:
        _set(resource.RLIMIT_DATA, data_bytes)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_FSIZE, _FILE_BYTES)
    _set(resource.RLIMIT_CPU, _CPU_SECONDS)
    _set(resource.RLIMIT_MSGQUEUE, 0)
    _set(resource.RLIMIT_MEMLOCK, 0)


def limit_confined() -> None:
    """Bound what a confined worker opens and starts; a GPU's driver opens more than this machine can say."""
    _set(resource.RLIMIT_NOFILE, _OPEN_FILES)
    if os.geteuid():
        # Counted over all of the user's processes; root is never counted, and is kept by seccomp alone.
        _set(resource.RLIMIT_NPROC, _tasks_of_user() + _TASKS)


def _tasks_of_user() -> int:
    user, found = os.geteuid(), 0
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and process.stat().st_uid == user:
                found += len(os.listdir(process / "task"))
        except OSError:
            continue
    return found


def _set(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))
