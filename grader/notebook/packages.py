"""Packages in a lesson: a wheel of given sources, what it holds, and a program that uses it installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.notebook.display import progress
from grader.notebook.session import SESSION

_SECONDS = 120.0
_ROOT = str(Path(__file__).parents[2])


@dataclass(frozen=True)
class Wheel:
    """A wheel, and the commands that compilers were called with while it was built."""

    path: Path
    commands: tuple[dict[str, Any], ...]

    def contents(self) -> list[tuple[str, int]]:
        """Return the files in it, with their sizes in bytes."""
        with zipfile.ZipFile(self.path) as archive:
            return [(one.filename, one.file_size) for one in archive.infolist()]

    def text(self, ending: str) -> str:
        """Return the text of the file in it whose name ends so."""
        with zipfile.ZipFile(self.path) as archive:
            name = next(name for name in archive.namelist() if name.endswith(ending))
            return archive.read(name).decode()

    def flags(self, tool: str) -> str:
        """Return what `nvcc` or `c++` was told for one file, the include directories left out."""
        words = next(one["arguments"] for one in self.commands if one["tool"] == tool)
        return " ".join(word for word in words if not word.startswith("-I") and "/" not in word)

    def run(self, program: str) -> str:
        """Install the wheel into an empty folder and run a Python program elsewhere; return what it said."""
        from grader.judge.worker import packaging

        with tempfile.TemporaryDirectory() as folder:
            installed, elsewhere = Path(folder, "installed"), Path(folder, "elsewhere")
            elsewhere.mkdir()
            packaging.install(self.path, installed)
            paths = os.pathsep.join([str(installed), _ROOT])
            ran = subprocess.run(
                [sys.executable, "-c", program], cwd=elsewhere, env={**os.environ, "PYTHONPATH": paths},
                capture_output=True, text=True, timeout=_SECONDS, check=False,
            )  # fmt: skip
        said = ran.stdout.strip()
        last = ran.stderr.strip().splitlines()[-1:] if ran.returncode else []
        return "\n".join([*([said] if said else []), *last])


class WheelFailedError(Exception):
    """The wheel could not be built; the message is the build's own last lines."""


def wheel(files: Mapping[str, str]) -> Wheel:
    """Build a wheel of a package's sources, by path, on the course's device.

    Built as the judge builds an answer, by a worker; the same sources are built once.
    """
    from grader.judge import packaging
    from grader.judge.processes import Nursery
    from grader.judge.session import resolve_device

    kind = resolve_device(os.environ.get("GRADER_DEVICE", "auto"))
    started: list[Nursery] = []

    def nursery() -> Nursery:
        started.append(Nursery(kind))
        return started[0]

    try:
        with progress("Building the wheel …") as say:
            found = packaging.wheel(files, kind, nursery)
            say(f"✓ wheel in {found['seconds']:.0f} s" if found["wheel"] else "✗ no wheel")
    finally:
        for one in started:
            one.close()
    if found["wheel"] is None:
        raise WheelFailedError("\n".join(found["output"].strip().splitlines()[-12:]))
    return Wheel(Path(found["wheel"]), tuple(one for one in found["commands"] if "arguments" in one))


def sources(exercise: str) -> dict[str, str]:
    """Return the last-run `%%package` cells of an exercise, by path."""
    return dict(SESSION.files.get(exercise, {}))
