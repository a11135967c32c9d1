"""The C++ of the simulator and of the toolchain's headers, read once: a build sees one state of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from grader.toolchain.headers import PACKAGE_HEADERS

SIMULATOR = Path(__file__).parents[1] / "simulator"
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^">\n]+)[">]', re.MULTILINE)
_ROOTS = ("include", "csrc", "csrc/bind")


@dataclass(frozen=True)
class Snapshot:
    """Files by their path below `simulator/`, and the toolchain's own headers by theirs."""

    simulator: dict[str, bytes] = field(repr=False)
    package: dict[str, bytes] = field(repr=False)

    @staticmethod
    def take() -> Snapshot:
        """Read the sources as they are now."""
        simulator = {**_read(SIMULATOR, "include"), **_read(SIMULATOR, "csrc")}
        return Snapshot(simulator, _read(PACKAGE_HEADERS, "."))

    def write(self, directory: Path) -> None:
        """Write `simulator/` and the toolchain's headers under `directory`."""
        files = {f"simulator/{name}": text for name, text in self.simulator.items()} | self.package
        for name, text in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)

    def units(self) -> list[str]:
        """Return the C++ files."""
        return sorted(name for name in self.simulator if name.endswith(".cpp"))

    def parts(self) -> list[str | bytes]:
        """Return everything, for a key."""
        return [part for item in sorted(self.simulator.items()) for part in item]

    def header_parts(self) -> list[str | bytes]:
        """Return what a learner's unit can include, for a key."""
        names = [name for name in self.simulator if name.startswith(("include/", "csrc/bind/grader/"))]
        parts = [part for name in sorted(names) for part in (name, self.simulator[name])]
        return [*parts, *(part for item in sorted(self.package.items()) for part in item)]

    def unit_parts(self, unit: str) -> list[str | bytes]:
        """Return one C++ file and all of the simulator that it includes, for a key."""
        seen = {unit}
        pending = [unit]
        while pending:
            for name in self._included(pending.pop()):
                if name not in seen:
                    seen.add(name)
                    pending.append(name)
        return [part for name in sorted(seen) for part in (name, self.simulator[name])]

    def _included(self, name: str) -> Iterator[str]:
        for match in _INCLUDE.finditer(self.simulator[name]):
            path = match[1].decode()
            roots = [str(PurePosixPath(name).parent), *_ROOTS]
            candidates = (_normal(f"{root}/{path}") for root in roots)
            yield from (found for found in candidates if found in self.simulator)


def _normal(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _read(root: Path, under: str) -> dict[str, bytes]:
    files = (path for path in (root / under).rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(files) if path.suffix != ".md"}
