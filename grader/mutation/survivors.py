"""Mutants that may pass: each pattern with the reason why the broken source still is a right answer."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from grader.mutation.mutants import Mutant

COLUMNS = ("origin", "operator", "before", "after", "reason")


class SurvivorsError(Exception):
    """The list of survivors cannot be read."""


@dataclass(frozen=True)
class Listed:
    """One line of the list.  All but the reason are patterns with `*`; brackets stand for themselves."""

    origin: str
    operator: str
    before: str
    after: str
    reason: str

    def fits(self, mutant: Mutant) -> bool:
        """Whether the line speaks of this mutant."""
        said = (f"{mutant.exercise}/{mutant.origin}", mutant.operator, mutant.before, mutant.after)
        patterns = (self.origin, self.operator, self.before, self.after)
        return all(
            fnmatchcase(text, pattern.replace("[", "[[]"))
            for text, pattern in zip(said, patterns, strict=True)
        )


def read_listed(path: Path) -> tuple[Listed, ...]:
    """Return the lines of `path`, tab-separated under a line of column names."""
    if not path.exists():
        return ()
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise SurvivorsError(f"{path}: the first line must name the columns {', '.join(COLUMNS)}")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(COLUMNS) or not row[-1].strip():
            raise SurvivorsError(f"{path}:{number}: {len(COLUMNS)} columns are wanted, the last a reason")
    return tuple(Listed(*row) for row in rows[1:])
