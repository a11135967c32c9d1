"""Building a cell's CUDA in a process of its own, so that nothing of it runs in the kernel."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

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


def build(name: str, source: str, device: str, say: Callable[[str], None]) -> Built:
    """Build a `%%cuda` cell's source; raise `BuildUnavailableError` for the machine's faults.

    `say` is told what a first build of the runtime is at.
    """
    request = {"name": name, "cuda": source, "device": device, "first_line": CUDA_FIRST_LINE, "file": "cell"}
    with _file(json.dumps(request)) as asked, _file("") as answer:
        said = _run(asked, answer, say)
        answer.seek(0)
        try:
            result = json.load(answer)
        except ValueError:
            raise BuildUnavailableError(said or "The compiler's process ended without an answer.") from None
    if "fault" in result:
        raise BuildUnavailableError(str(result["fault"]))
    return _built(result)


def _file(text: str) -> IO[str]:
    """Return a file with a text, to be read from its start: unlike a pipe it neither breaks nor fills up."""
    file = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  # the caller closes it
    file.write(text)
    file.seek(0)
    return file


def _run(asked: IO[str], answer: IO[str], say: Callable[[str], None]) -> str:
    """Run the toolchain on a request; return the last line that it said on standard error."""
    command = [sys.executable, "-m", "grader.toolchain"]
    last = ""
    with subprocess.Popen(
        command, stdin=asked, stdout=answer, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stderr is not None  # it is a pipe
        try:
            for line in process.stderr:
                last = line.strip()
                say(last)
        except BaseException:  # an interrupt of the cell ends the build too
            process.kill()
            raise
    return last


def _built(answer: Mapping[str, Any]) -> Built:
    """Return the toolchain's JSON as a `Built`."""
    errors = [one for one in answer["diagnostics"] if one["severity"] in ("error", "fatal error")]
    problems = [
        (str(one["message"]), Place.from_json(one["place"]) if one["place"] else None) for one in errors
    ]
    return Built(
        library=Path(answer["library"]) if answer["ok"] else None,
        functions=tuple(answer["functions"]),
        problems=tuple(problems),
        seconds=float(answer["seconds"]),
        cached=bool(answer["cached"]),
    )
