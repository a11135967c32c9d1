"""What notebooks and course tools need to know of an exercise's declaration."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.exercise import Exercise


@dataclass(frozen=True)
class Declared:
    """The part of a declaration that cells, hints and gradebooks are derived from."""

    id: str
    lesson: str
    points: float
    hints: tuple[str, ...]
    kinds: tuple[str, ...]
    """The answer cells it has: `cuda`, `python` or both, or a package's files, in the order of building."""


def _kinds(exercise: Exercise) -> tuple[str, ...]:
    from grader.exercise import Files

    answer = exercise.answer
    if isinstance(answer, Files):
        return answer.paths
    return ("cuda",) * answer.needs_cuda + ("python",) * answer.needs_python


@functools.cache
def known() -> dict[str, Declared]:
    """Return all declared exercises by id, in course order."""
    from grader.exercises import all_exercises

    return {
        exercise.id: Declared(
            id=exercise.id,
            lesson=exercise.lesson,
            points=float(exercise.points),
            hints=exercise.hints,
            kinds=_kinds(exercise),
        )
        for exercise in all_exercises()
    }


def find(exercise: str) -> Declared:
    """Return the declaration of an exercise; raise the registry's `UnknownExerciseError` (a KeyError)."""
    from grader.exercises import UnknownExerciseError

    if exercise not in known():
        raise UnknownExerciseError(exercise)
    return known()[exercise]
