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
    """Return the reports with `line` added wherever their `pc`, or a caller, lies in code with line numbers.

    The `other` access of a race gets its line in the same way.  A line that is there already is kept.  All
    addresses of a module are looked up at once.
    """
    resolved = [dict(report) for report in reports]
    for report in resolved:
        if isinstance(report.get("other"), dict):
            report["other"] = dict(report["other"])
    accesses = [*resolved, *(report["other"] for report in resolved if isinstance(report.get("other"), dict))]
    unknown = [access for access in accesses if "line" not in access]
    lines = _lines({address for access in unknown for address in _addresses(access)})
    for access in unknown:
        found = next((line for at in _addresses(access) if (line := lines.get(at)) is not None), None)
        if found is not None:
            access["line"] = found
    return resolved


def _addresses(access: dict[str, Any]) -> list[tuple[str, str]]:
    """Return module and offset of the access and of its callers, innermost first."""
    stack = access.get("stack") or [access.get("pc", "")]
    parts = [str(frame).rpartition("+") for frame in stack]
    return [(module, offset) for module, plus, offset in parts if plus]


def _lines(addresses: set[tuple[str, str]]) -> dict[tuple[str, str], int | None]:
    """Return the lines of addresses in any number of modules."""
    by_module: dict[str, list[str]] = defaultdict(list)
    for module, offset in sorted(addresses):
        by_module[module].append(offset)
    return {
        (module, offset): line
        for module, offsets in by_module.items()
        for offset, line in zip(offsets, look_up(module, offsets), strict=True)
    }


def look_up(module: str, addresses: list[str]) -> list[int | None]:
    """Return the source line of each address of a module; None where it is unknown."""
    unique = list(dict.fromkeys(addresses))
    try:
        text = _asked(module, unique) if module in _ready else _run(module, unique)
    except (OSError, subprocess.SubprocessError):
        return [None] * len(addresses)
    found = dict(zip(unique, _frames(text), strict=False))
    return [_line(found.get(address, [])) for address in addresses]


def look_up_ahead(module: str) -> None:
    """Start what looks up lines of a module now: a process that may start no other asks it later."""
    program = shutil.which("addr2line")
    if program is not None:
        _ready[module] = subprocess.Popen(
            _command(program, module), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip


_ready: dict[str, subprocess.Popen[str]] = {}
_LAST = "0xffffffffffffffff"
"""An address that nothing has: its answer ends the others'."""


def _command(program: str, module: str) -> list[str]:
    return [program, "--addresses", "--inlines", "--exe", module]


def _run(module: str, addresses: list[str]) -> str:
    program = shutil.which("addr2line")
    if program is None or not addresses:
        return ""
    command = [*_command(program, module), *addresses]
    return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True).stdout


def _asked(module: str, addresses: list[str]) -> str:
    process = _ready[module]
    assert process.stdin
    assert process.stdout
    process.stdin.write("\n".join([*addresses, _LAST, ""]))
    process.stdin.flush()
    rows: list[str] = []
    while not (rows and rows[-1].startswith(_LAST)):
        row = process.stdout.readline()
        if not row:
            del _ready[module]
            return ""
        rows.append(row)
    process.stdout.readline()
    return "".join(rows[:-1])


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
