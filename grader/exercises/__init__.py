"""The registry: every exercise, in course order.  A new one is one module here and one line in `ORDER`."""

from __future__ import annotations

import difflib
import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.exercise import Exercise

ORDER = (
    "traffic",
    "compiler_first",
    "add_relu",
    "leaky_relu",
    "row_scale_",
    "pairwise_sqdist",
    "add_relu_function",
    "row_scale_function",
    "scaled_clip",
    "side_stream_scale",
    "stack_rows",
    "two_pass_sum",
    "rms_norm_bias_silu",
    "rms_norm_bias_silu_function",
    "segment_sum",
    "scatter_add_rows",
    "quantize_rowwise",
    "ship_it",
    "register_op",
)
"""Ids in course order.  An exercise's id is the name of its module, imported when it is asked for."""


class UnknownExerciseError(KeyError):
    """No exercise has this id.  The message names the nearest ones."""

    def __init__(self, exercise_id: str) -> None:
        """Say which ids come near."""
        near = _nearest(exercise_id)
        advice = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(ORDER)}."
        self.message = f"There is no exercise {exercise_id!r}. {advice}"
        super().__init__(self.message)

    def __str__(self) -> str:
        """Return the message as it is, without KeyError's quotes."""
        return self.message


def _nearest(exercise_id: str) -> list[str]:
    """Return the ids that come near, without those that come much less near than the nearest."""
    matcher = difflib.SequenceMatcher(None, b=exercise_id)
    ratios = {}
    for known in ORDER:
        matcher.set_seq1(known)
        ratios[known] = matcher.ratio()
    least = max(0.6, max(ratios.values()) - 0.1)
    return sorted((known for known in ORDER if ratios[known] >= least), key=lambda known: -ratios[known])[:3]


@cache
def get(exercise_id: str) -> Exercise:
    """Return the declaration of an exercise; raise `UnknownExerciseError` (a KeyError) for any other id."""
    if exercise_id not in ORDER:
        raise UnknownExerciseError(exercise_id)
    exercise: Exercise = importlib.import_module(f"grader.exercises.{exercise_id}").EXERCISE
    return exercise


def all_exercises() -> tuple[Exercise, ...]:
    """Return every exercise in course order."""
    return tuple(get(exercise_id) for exercise_id in ORDER)
