"""How much memory this machine has, or its container, and how much of it one compiler may take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_MOST_BYTES = 12 << 30
_LEAST_BYTES = 3 << 30


def machine_bytes() -> int:
    """Return this machine's memory, or its container's."""
    return min((os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_cgroup_bytes()))


def _cgroup_bytes() -> Iterator[int]:
    for path in _CGROUP_LIMITS:
        try:
            text = Path(path).read_text().strip()
        except OSError:
            continue
        if text.isdigit() and int(text):
            yield int(text)


def compiler_bytes() -> int:
    """Return what one compiler may take: half of what there is, from 3 GiB, which PyTorch needs, to 12."""
    return max(_LEAST_BYTES, min(_MOST_BYTES, machine_bytes() // 2))
