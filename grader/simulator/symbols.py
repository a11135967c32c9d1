"""Addresses in a learner's module, as lines of the learner's source."""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

_SECONDS = 20.0
_HEADERS = ("/include/", "/simulator/")


def resolve(reports: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the reports with `line` added wherever their `pc` lies in code with line numbers.

    A report that already has a line keeps it.  All addresses of a module are looked up at once.
    """
    resolved = [dict(report) for report in reports]
    by_module: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for report in resolved:
        module, plus, _ = str(report.get("pc", "")).rpartition("+")
        if plus and "line" not in report:
            by_module[module].append(report)
    for module, group in by_module.items():
        lines = look_up(module, [report["pc"].rpartition("+")[2] for report in group])
        for report, line in zip(group, lines, strict=True):
            if line is not None:
                report["line"] = line
    return resolved


def look_up(module: str, addresses: list[str]) -> list[int | None]:
    """Return the source line of each address of a module; None where it is unknown."""
    program = shutil.which("addr2line")
    if program is None or not addresses:
        return [None] * len(addresses)
    unique = list(dict.fromkeys(addresses))
    command = [program, "--addresses", "--inlines", "--exe", module, *unique]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return [None] * len(addresses)
    found = dict(zip(unique, _frames(ran.stdout), strict=False))
    return [_line(found.get(address, [])) for address in addresses]


def _frames(text: str) -> list[list[str]]:
    """Split the answer into one list of `file:line` for each address, innermost frame first."""
    groups: list[list[str]] = []
    for row in text.splitlines():
        if row.startswith("0x"):
            groups.append([])
        elif groups:
            groups[-1].append(row)
    return groups


def _line(frames: list[str]) -> int | None:
    """Return the line of the innermost frame that is no header's."""
    for frame in frames:
        file, _, rest = frame.rpartition(":")
        number = rest.split(" ")[0]
        if number.isdigit() and int(number) and not any(part in file for part in _HEADERS):
            return int(number)
    return None
