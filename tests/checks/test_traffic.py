"""`traffic`, judged from what a worker would count for one dense call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from grader import exercises
from grader.checks import Traffic
from grader.checks.base import Drawn, Finding
from grader.exercise import Case, Draw
from grader.judge.observation import ErrorSeen, Observation
from grader.judge.protocol import Step
from grader.verdict import Outcome

ROWS, COLUMNS = 7, 100
LEAST = (2 * ROWS * COLUMNS + 2 * COLUMNS) * 2
"""Bytes of x, weight, bias and the result in float16."""


class Counting:
    """A bench whose worker counts given bytes, if it is asked to."""

    kind = "sim"

    def __init__(self, moved: Sequence[int], error: ErrorSeen | None) -> None:
        """Keep what a call is to show."""
        self.exercise, self._moved, self._error = exercises.get("rms_norm_bias_silu"), moved, error

    def draw(self, case: Case, *labels: str) -> Drawn:
        """Return what the exercise draws for the labels."""
        arguments: tuple[Any, ...] = self.exercise.inputs(case, Draw(5, *labels))
        return Drawn(case, arguments, torch.zeros(case.shape, dtype=torch.float64))

    def sized(self, case: Case) -> Case:
        """Return the case: none here is drawn."""
        return case

    def observe(self, step: Step) -> Observation:
        """Show one launch, and what was counted."""
        counted = tuple({"bytes": count} for count in self._moved if step.profile)
        return Observation(self._error, (), launches=({"kernel": "norm", "line": 3}, *counted))


def judged(*moved: int, error: ErrorSeen | None = None) -> Finding:
    """Return what the check says of a call whose kernels move these bytes."""
    check = Traffic(2, (Case("dense", (ROWS, COLUMNS), dtype=torch.float16),))
    return check.run(Counting(moved, error))  # type: ignore[arg-type]


@pytest.mark.parametrize("extra", [0, 4 * ROWS, LEAST // 7])
def test_the_least_and_a_little_more_passes(extra: int) -> None:
    """One number a row may be kept; the result counts in its own type and not in the reference's."""
    assert judged(LEAST, extra).outcome is Outcome.PASSED


def test_a_scratch_row_fails_and_says_how_much() -> None:
    """What is written and read again shows in the ratio."""
    finding = judged(LEAST, LEAST // 4, LEAST // 4)
    assert finding.outcome is Outcome.FAILED
    assert f"1.50 times the {LEAST}" in finding.message


def test_what_was_not_counted_earns_nothing() -> None:
    """Fewer bytes than the least, or an exception, is no evidence of a good kernel."""
    assert judged().outcome is Outcome.NOT_RUN
    assert judged(LEAST - 2).outcome is Outcome.NOT_RUN
    assert judged(LEAST, error=ErrorSeen("call", 0, "RuntimeError", "no")).outcome is Outcome.NOT_RUN
