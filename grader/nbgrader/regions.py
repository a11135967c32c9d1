"""Solution and starter regions of an answer cell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.notebook.answers import Marker, cuda_stub, python_stub

_MARKER = re.compile(
    r"^(?P<indent>\s*)(?P<comment>//|#{1,3})\s*(?P<edge>BEGIN|END) (?P<name>SOLUTION|STARTER)\s*$"
)
_LOOKS_LIKE_MARKER = re.compile(
    r"^\s*(//+|#+|/\*)\s*(be?gi?n|ends?|start|stop)[\s_:-]*"
    r"(of\s+)?(the\s+)?(sol[a-z]*|starters?|hid[a-z]*\s*tests?|mark\w*\s*scheme)\b",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"^\s*#+\s*(BEGIN|END) (HIDDEN TESTS|MARK SCHEME)\s*$")
_OUTER: dict[str, list[str]] = {"SOLUTION": [], "STARTER": ["SOLUTION"]}


class RegionError(ValueError):
    """Markers that do not pair, with the number of the offending line."""


@dataclass(frozen=True)
class Cleared:
    """The text that learners get, and what was taken out."""

    text: str
    regions: int
    starter: bool


@dataclass
class _Region:
    """A solution region: where its text is indented, and the code that learners start from."""

    indent: str
    starter: list[str] | None = None


def lint_markers(text: str) -> None:
    """Raise `RegionError` at a line that seems to be meant as a marker and is none.

    A misspelt marker would release the answer or the hidden tests in silence.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if _LOOKS_LIKE_MARKER.match(line) and not _MARKER.match(line) and not _HIDDEN.match(line):
            raise RegionError(f"line {number} is not a marker but looks like one: {line.strip()!r}")


def lint_hidden(text: str) -> None:
    """Raise `RegionError` when hidden tests or mark schemes do not begin and end in turn."""
    inside = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not (found := _HIDDEN.match(line)):
            continue
        edge, name = found.groups()
        if edge != ("END" if inside else "BEGIN") or (inside and name != inside):
            raise RegionError(f"line {number}: {edge} {name} out of turn")
        inside = name if edge == "BEGIN" else ""
    if inside:
        raise RegionError(f"BEGIN {inside} without END {inside}")


def has_regions(text: str) -> bool:
    """Tell whether a solution or starter marker stands in the text."""
    return any(_MARKER.match(line) for line in text.split("\n"))


def clear(text: str, stub: list[str], comment: str, further: list[str]) -> Cleared:
    """Return the text with each solution region replaced by its starter, or by a stub.

    `stub` replaces the first region, `further` the others and every region of a cell with a starter.
    `comment` is the comment sign that this cell's markers must use.
    """
    pieces = _split(text, comment)
    regions = [piece for piece in pieces if isinstance(piece, _Region)]
    starter = any(region.starter is not None for region in regions)
    lines: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            lines.append(piece)
        elif piece.starter is not None:
            lines += piece.starter
        else:
            first = piece is regions[0] and not starter
            lines += [piece.indent + line for line in (stub if first else further)]
    return Cleared("\n".join(lines), len(regions), starter)


def clear_answer(source: str, found: Marker) -> Cleared:
    """Return the released text of an answer cell."""
    if not found.in_python:
        stub = cuda_stub(found.exercise)
        return clear(source, stub, "//", further=stub[:1])
    stub = python_stub(found.exercise)
    return clear(source, stub, "#", further=stub)


def _split(text: str, comment: str) -> list[str | _Region]:
    """Return the text as given lines and regions, in order."""
    pieces: list[str | _Region] = []
    stack: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if found := _MARKER.match(line):
            _push_or_pop(stack, found, number, comment)
            if found["edge"] == "BEGIN":
                _open(pieces, found, number)
        elif not stack:
            pieces.append(line)
        elif stack[-1] == "STARTER":
            region = pieces[-1]
            if isinstance(region, _Region) and region.starter is not None:
                region.starter.append(_starter_line(line, number, comment))
    if stack:
        raise RegionError(f"BEGIN {stack[-1]} without END {stack[-1]}")
    return pieces


def _open(pieces: list[str | _Region], found: re.Match[str], number: int) -> None:
    """Begin a region, or the starter of the last one."""
    if found["name"] == "SOLUTION":
        pieces.append(_Region(found["indent"]))
        return
    region = pieces[-1]
    if not isinstance(region, _Region) or region.starter is not None:
        raise RegionError(f"line {number}: a second STARTER in one SOLUTION region")
    region.starter = []


def _push_or_pop(stack: list[str], found: re.Match[str], number: int, comment: str) -> None:
    """Keep the stack of open regions, or say which marker is out of place."""
    edge, name = found["edge"], found["name"]
    if found["comment"].startswith("#") != (comment == "#"):
        raise RegionError(f"line {number}: a marker of this cell begins with {comment}")
    if edge == "END":
        if not stack or stack.pop() != name:
            raise RegionError(f"line {number}: END {name} without BEGIN {name}")
        return
    if stack != _OUTER[name]:
        where = f"inside {stack[-1]}" if stack else "outside SOLUTION"
        raise RegionError(f"line {number}: BEGIN {name} {where}")
    stack.append(name)


def _starter_line(line: str, number: int, comment: str) -> str:
    """Return a starter line without its prefix."""
    found = re.match(rf"^(\s*){re.escape(comment)}\| ?(.*)$", line)
    if not found:
        raise RegionError(f"line {number}: a starter line begins with '{comment}| '")
    return (found[1] + found[2]).rstrip()
