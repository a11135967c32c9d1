"""How a cell's text says which exercise it answers, and whether it was touched.

Used by the cell magic, by the release and by autograding, so that all three read cells alike.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_CUDA = re.compile(r"^%%cuda[ \t]+(?P<id>\w+)[ \t]*$")
_FILE = re.compile(r"^%%package[ \t]+(?P<id>\w+)[ \t]+(?P<path>\w[\w.-]*(?:/\w[\w.-]*)*)[ \t]*$")
_PYTHON = re.compile(r"^#[ \t]*answer:[ \t]*(?P<id>\w+)[ \t]*$", re.IGNORECASE)
_CHECK = re.compile(r"""^check\(\s*["'](?P<id>\w+)["']\s*(,\s*untouched=["'](?P<untouched>\w+)["']\s*)?\)$""")

PYTHON_SUFFIX = "-py"
"""Ends the grade id of a Python answer cell; nbgrader allows letters, digits, `_` and `-` only."""

CHECK_PREFIX = "check_"
"""Begins the grade id of a check cell."""


_KINDS = ("cuda", "python", "check")


@dataclass(frozen=True)
class Marker:
    """What the first line of a cell declares.

    `kind` is `cuda`, `python` or `check`; for a file of a package it is the file's path.
    """

    kind: str
    exercise: str
    untouched: str | None = None

    @property
    def is_file(self) -> bool:
        """Whether the cell is a file of a package."""
        return self.kind not in _KINDS

    @property
    def in_python(self) -> bool:
        """Whether the cell's text is Python, and not C++."""
        return self.kind == "python" or self.kind.endswith(".py")

    @property
    def grade_id(self) -> str:
        """Return the nbgrader id of the declared cell."""
        if self.kind == "python":
            return self.exercise + PYTHON_SUFFIX
        if self.is_file:
            return f"{self.exercise}-{re.sub('[^A-Za-z0-9]+', '_', self.kind).strip('_')}"
        return CHECK_PREFIX + self.exercise if self.kind == "check" else self.exercise

    @property
    def first_line(self) -> str:
        """Return the first line of a cell of this kind, as an author writes it."""
        if self.is_file:
            return f"%%package {self.exercise} {self.kind}"
        lines = {"cuda": "%%cuda {}", "python": "# answer: {}", "check": 'check("{}")'}
        return lines[self.kind].format(self.exercise)


def marker(source: str) -> Marker | None:
    """Return what a cell with this text is, or None for a cell that belongs to no exercise.

    Blank lines above a `# answer:` line are allowed; a cell magic must be the first line.
    """
    if found := _CUDA.match(source.split("\n", 1)[0].rstrip("\r")):
        return Marker("cuda", found["id"])
    if found := _FILE.match(source.split("\n", 1)[0].rstrip("\r")):
        return Marker(found["path"], found["id"])
    if found := _CHECK.match(source.strip()):
        return Marker("check", found["id"], found["untouched"])
    if found := _PYTHON.match(source.lstrip().split("\n", 1)[0].rstrip("\r")):
        return Marker("python", found["id"])
    return None


def is_check(source: str) -> bool:
    """Tell whether a cell with this text asks for a verdict."""
    found = marker(source)
    return found is not None and found.kind == "check"


def without_magic(source: str) -> str:
    """Return the text of a cell without its first line, where that is `%%cuda` or `%%package`."""
    first, _, rest = source.partition("\n")
    return rest if first.startswith(("%%cuda", "%%package")) else source


def stub_message(exercise: str) -> str:
    """Return the text that the stub of an unanswered cell reports."""
    return f"{exercise}: not attempted yet"


def cuda_stub(exercise: str) -> list[str]:
    """Return the lines that stand in a released CUDA cell for the model answer."""
    return ["// YOUR CODE HERE", f'#error "{stub_message(exercise)}"']


def python_stub(exercise: str) -> list[str]:
    """Return the lines that stand in a released Python cell for the model answer."""
    return ["# YOUR CODE HERE", f'raise NotImplementedError("{stub_message(exercise)}")']


def is_stub(exercise: str, text: str) -> bool:
    """Tell whether the text still holds a stub's statement, outside a comment."""
    statements = (cuda_stub(exercise)[1], python_stub(exercise)[1])
    return any(line.strip() in statements for line in text.splitlines())


def digest(source: str) -> str:
    """Return a short digest of a cell's text; trailing blanks and the magic line do not count."""
    lines = [line.rstrip() for line in without_magic(source).strip().splitlines()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
