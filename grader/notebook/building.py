"""Building a cell's CUDA in a process of its own, so that nothing of it runs in the kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.notebook.judging import CUDA_FIRST_LINE
from grader.verdict import Place


@dataclass(frozen=True)
class Built:
    """What came of a build.  `library` is None when the compiler refused the source."""

    library: Path | None
    functions: tuple[str, ...]
    problems: tuple[tuple[str, Place | None], ...]
    seconds: float
    cached: bool


class BuildUnavailableError(Exception):
    """The toolchain could not run; the message is its own."""


def build(name: str, source: str, device: str) -> Built:
    """Build a `%%cuda` cell's source; raise `BuildUnavailableError` for the machine's faults."""
    request = {"name": name, "cuda": source, "device": device, "first_line": CUDA_FIRST_LINE, "file": "cell"}
    command = [sys.executable, "-m", "grader.toolchain"]
    process = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True)
    try:
        return _built(json.loads(process.stdout))
    except (ValueError, KeyError, TypeError):
        said = process.stderr.strip().splitlines()
        raise BuildUnavailableError(said[-1] if said else f"exit status {process.returncode}") from None


def _built(answer: Mapping[str, Any]) -> Built:
    """Return the toolchain's JSON as a `Built`."""
    errors = [one for one in answer["diagnostics"] if one["severity"] in ("error", "fatal error")]
    problems = [(str(one["message"]), _place(one.get("place"))) for one in errors]
    return Built(
        library=Path(answer["library"]) if answer["ok"] else None,
        functions=tuple(answer["functions"]),
        problems=tuple(problems),
        seconds=float(answer["seconds"]),
        cached=bool(answer["cached"]),
    )


def _place(place: Mapping[str, Any] | None) -> Place | None:
    if not place:
        return None
    return Place(place["line"], place.get("column"), place.get("file", "cell"), place.get("text", ""))
