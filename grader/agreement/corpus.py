"""Read the corpus: submissions with the verdict in their file names and the reason in their first lines.

A package is a folder with the verdict in its name; the first lines are those of its setup.py.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.exercises import ORDER, get

_NAME = re.compile(r"right__(?P<right>[a-z0-9_]+)|wrong__(?P<check>[a-z]+(?:_[a-z]+)*)__(?P<slug>[a-z0-9_]+)")
_HEADER = re.compile(r"(?://|#) (?P<key>Reason|Also fails|Fault): (?P<value>\S.*)")


class CorpusError(Exception):
    """A file of the corpus that does not say what it is."""


@dataclass(frozen=True)
class Submission:
    """One submission and the verdict that it must get."""

    exercise: str
    path: Path
    check: str | None
    """The check that must fail; None for a right submission."""
    reason: str
    also: frozenset[str] = frozenset()
    """Checks that cannot but fail too."""
    fault: str | None = None

    @property
    def name(self) -> str:
        """`exercise/stem`, which identifies the submission in reports and on the command line."""
        return f"{self.exercise}/{self.path.stem}"

    @property
    def failing(self) -> frozenset[str]:
        """The names of the checks that must fail, all of them and no other."""
        return frozenset() if self.check is None else self.also | {self.check}

    @property
    def cuda(self) -> str | None:
        """The CUDA source; None where the answer is Python alone."""
        return self.path.read_text(encoding="utf-8") if self.path.suffix == ".cu" else None

    @property
    def files(self) -> dict[str, str] | None:
        """The files of a package by path; None where the answer is no package."""
        if not self.path.is_dir():
            return None
        found = (path for path in sorted(self.path.rglob("*")) if path.is_file())
        return {str(path.relative_to(self.path)): path.read_text(encoding="utf-8") for path in found}

    @property
    def python(self) -> str | None:
        """The Python source beside it, if there is one."""
        beside = self.path.with_suffix(".py")
        return beside.read_text(encoding="utf-8") if beside.exists() else None

    @property
    def digest(self) -> str:
        """Identify the sources, so that a stored verdict is never taken for that of an edited file."""
        parts = (self.cuda, self.python) if self.files is None else self.files
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def read_submission(path: Path) -> Submission:
    """Return what the name and the first lines of `path` promise; raise `CorpusError` if they do not."""
    named = _NAME.fullmatch(path.stem)
    if named is None:
        raise CorpusError(
            f"{path}: name it right__<slug>{path.suffix} or wrong__<check>__<slug>{path.suffix}"
        )
    header, sign = dict(_header(path)), "//" if path.suffix == ".cu" else "#"
    if "Reason" not in header:
        raise CorpusError(f"{path}: begin it with '{sign} Reason: ...'")
    if "Also fails" in header and named["check"] is None:
        raise CorpusError(f"{path}: a right submission fails nothing; drop '{sign} Also fails:'")
    also = frozenset(part.strip() for part in header.get("Also fails", "").split(",") if part.strip())
    return Submission(path.parent.name, path, named["check"], header["Reason"], also, header.get("Fault"))


def read_corpus(folder: Path) -> tuple[Submission, ...]:
    """Return all submissions under `folder`, one folder an exercise, in the order of their names."""
    found = tuple(read_submission(path) for path in sorted(_sources(folder)))
    if not found:
        raise CorpusError(f"{folder}: no submissions; expected <exercise>/{{right,wrong}}__*.cu")
    return found


def _sources(folder: Path) -> Iterator[Path]:
    """Yield the file that names each submission: the CUDA source, or the Python of an answer without one."""
    for path in folder.glob("*/*.cu"):
        yield path
    for path in folder.glob("*/*/setup.py"):
        yield path.parent
    for path in folder.glob("*/*.py"):
        if not _needs_cuda(path.parent.name):
            yield path
        elif not path.with_suffix(".cu").exists():
            raise CorpusError(f"{path}: no .cu of the same name beside it")


def _needs_cuda(exercise: str) -> bool:
    return exercise not in ORDER or get(exercise).answer.needs_cuda


def _header(path: Path) -> Iterator[tuple[str, str]]:
    file = path / "setup.py" if path.is_dir() else path
    for line in file.read_text(encoding="utf-8").splitlines():
        match = _HEADER.fullmatch(line)
        if match is None:
            return
        yield match["key"], match["value"]
