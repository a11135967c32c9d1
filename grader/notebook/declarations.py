"""What notebooks and course tools need to know of an exercise's declaration."""

from __future__ import annotations

import functools
from dataclasses import dataclass


@dataclass(frozen=True)
class Declared:
    """The part of a declaration that cells, hints and gradebooks are derived from."""

    id: str
    lesson: str
    points: float
    hints: tuple[str, ...]
    kinds: tuple[str, ...]
    """The answer cells it has: `cuda`, `python` or both, in the order in which they are built."""


class UnknownExerciseError(LookupError):
    """No exercise has this id."""

    def __str__(self) -> str:
        """Return the message without quotes around it."""
        return str(self.args[0])


@functools.cache
def known() -> dict[str, Declared]:
    """Return all declared exercises by id, in course order."""
    raise NotImplementedError


def find(exercise: str) -> Declared:
    """Return the declaration of an exercise; raise `UnknownExerciseError`, which lists the known ids."""
    try:
        return known()[exercise]
    except KeyError:
        ids = ", ".join(known())
        raise UnknownExerciseError(f"There is no exercise {exercise!r}. There are: {ids}.") from None
