"""Which names PyTorch's headers know and the lean ones do not: the reason to try more headers, or not to."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from grader.toolchain.torch_install import TorchInstall

_NAME = re.compile(rb"[A-Za-z_]\w+")
_TREES = ("ATen", "c10", "torch")
_FILE = "outside-{}.txt"


def write(install: TorchInstall, directory: Path, mode: str) -> None:
    """Write the names that PyTorch's headers know and those of `mode` do not, by its dependency file."""
    known: set[bytes] = set()
    for path in _dependencies(directory / f"{mode}.d"):
        known |= _names(path)
    (directory / _FILE.format(mode)).write_bytes(b"\n".join(sorted(_everything(install) - known)))


@cache
def _everything(install: TorchInstall) -> frozenset[bytes]:
    found: set[bytes] = set()
    for tree in _TREES:
        for path in (install.include / tree).rglob("*.h"):
            found |= _names(path)
    return frozenset(found)


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
