"""Which names PyTorch's headers know and the lean ones do not: the reason to try more headers, or not to."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(rb"[A-Za-z_]\w+")
_FILE = "outside-{}.txt"


def write(directory: Path, mode: str) -> None:
    """Write the names that the full headers know and those of `mode` do not, by their dependency files."""
    beyond = _known(directory / "full.d") - _known(directory / f"{mode}.d")
    (directory / _FILE.format(mode)).write_bytes(b"\n".join(sorted(beyond)))


def _known(dependencies: Path) -> set[bytes]:
    found: set[bytes] = set()
    for path in _dependencies(dependencies):
        found |= _names(path)
    return found


def _names(path: Path) -> set[bytes]:
    try:
        return set(_NAME.findall(path.read_bytes()))
    except OSError:
        return set()


def _dependencies(path: Path) -> list[Path]:
    text = path.read_text().replace("\\\n", " ")
    return [Path(word) for word in text.split()[1:]]


def outside(directory: Path, mode: str, names: set[str]) -> set[str]:
    """Return those of `names` that PyTorch's headers know and those of `mode` do not."""
    text = (directory / _FILE.format(mode)).read_bytes()
    known = set(text.split(b"\n"))
    return {name for name in names if name.encode("utf-8", "replace") in known}
