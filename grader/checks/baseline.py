"""Telling a property's fault from a wrong value: compare only where a plain call gives the right value."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from grader.checks.base import Bench, Drawn, Finding
from grader.checks.close import value_problem
from grader.checks.comparison import is_close
from grader.exercise import Case
from grader.judge.faults import WorkerLostError
from grader.judge.observation import Observation
from grader.judge.protocol import Step
from grader.verdict import Outcome

UNSEEN = Finding(Outcome.NOT_RUN, "Not looked at: a plain call gives no right value here yet.")
_ENOUGH = 0.5


@dataclass(frozen=True)
class Baseline:
    """Arguments, and the elements of the result that a plain call gets right."""

    drawn: Drawn
    right: torch.Tensor

    def problem(self, bench: Bench, values: torch.Tensor) -> str | None:
        """Say how other values for the same arguments differ, where the plain call was right."""
        dtype = bench.exercise.result_dtype(self.drawn.case)
        if values.shape != self.drawn.expected.shape or values.dtype is not dtype:
            return "the result has another type or shape."
        kept = torch.where(self.right, values.double(), self.drawn.expected)
        return value_problem(bench, kept, self.drawn)


def baseline(bench: Bench, case: Case, *labels: str) -> Baseline | None:
    """Call plainly on device 0; return None if most of the result is wrong already."""
    return called_plainly(bench, bench.draw(case, *labels))


def called_plainly(bench: Bench, drawn: Drawn) -> Baseline | None:
    """Do the same with given arguments."""
    dtype = bench.exercise.result_dtype(drawn.case)
    try:
        seen = bench.observe(Step(bench.exercise.answer.entry, (drawn.arguments,)))
    except WorkerLostError:
        return None
    values = _values(seen)
    if values is None or values.shape != drawn.expected.shape or values.dtype is not dtype:
        return None
    right = is_close(values.double(), drawn.expected, dtype, bench.exercise.ulps, drawn.magnitude)
    return Baseline(drawn, right) if float(right.double().mean()) > _ENOUGH else None


def _values(seen: Observation) -> torch.Tensor | None:
    return seen.calls[0].outputs[0].values if seen.error is None and seen.calls[0].outputs else None
