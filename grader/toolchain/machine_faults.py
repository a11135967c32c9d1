"""Telling the machine's faults from the source's in what a compiler said: a source can print any words."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import gettempdir

from grader.toolchain import cache
from grader.toolchain.errors import EnvironmentFault

_NEEDED = 512 << 20
_FULL = re.compile(r"No space left on device|File too large")
# A compiler's own words begin the line; a source's stand behind its name and line.
_KILLED = re.compile(
    r"^\S*(?:g\+\+|c\+\+|gcc|cc)\S*: fatal error: Killed signal terminated program"
    r"|^nvcc error\s*: '\w+\+*' died due to signal 9",
    re.MULTILINE,
)


def check(output: str) -> None:
    """Raise `EnvironmentFault` if the disk is full or the system ended the compiler.

    A disk that the output calls full must be found full: `#error No space left on device` fills none.
    """
    if _FULL.search(output):
        for place in (cache.root(), Path(gettempdir())):
            if _free(place) < _NEEDED:
                raise EnvironmentFault(
                    f"The disk that holds {place} is full. Free some space and try again, "
                    "or set GRADER_CACHE and TMPDIR to directories on another disk."
                )
    if _KILLED.search(output):
        raise EnvironmentFault(
            "The machine ended the compiler, most likely for lack of memory. "
            "Close other programs and try again."
        )


def _free(place: Path) -> int:
    """Return the bytes that are free on the disk that holds `place`; 0 if nobody knows."""
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return 0
