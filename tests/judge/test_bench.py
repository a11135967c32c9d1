"""What a bench does with an answer that fails in every case."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from grader.checks.base import Built
from grader.exercises import get
from grader.judge.bench import AnswerBench, Source
from grader.judge.faults import WorkerLostError
from grader.judge.observation import ErrorSeen, Observation
from grader.judge.protocol import Step


class FailingBench(AnswerBench):
    """A bench whose answer always fails in the same way; no worker is started."""

    def __init__(self, outcome: Observation | WorkerLostError) -> None:
        """Remember how it fails."""
        nursery = cast(Any, SimpleNamespace(kind="sim"))
        super().__init__(
            get("add_relu"), nursery, Built(True, ("add_relu",)), {}, 0, Source("", 1, "cell"), lambda: None
        )
        self.outcome, self.asked = outcome, 0

    def observe(self, step: Step) -> Observation:
        """Fail once more."""
        self.asked += 1
        if isinstance(self.outcome, WorkerLostError):
            raise self.outcome
        return self.outcome


def raised(kind: str) -> Observation:
    """Return what is seen of a call that raised."""
    return Observation(ErrorSeen("call", 0, kind, "said"), ())


@pytest.mark.parametrize(
    ("outcome", "asked"),
    [
        (WorkerLostError("crash", "crashed"), 2),
        (WorkerLostError("time-out", "did not finish"), 1),
        (raised("MemoryError"), 2),
    ],
)
def test_costly_failures_are_not_repeated_for_every_case(
    outcome: Observation | WorkerLostError, asked: int
) -> None:
    """After a few losses, or calls that took all memory, the last one stands for the remaining cases."""
    bench = FailingBench(outcome)
    runs = bench.runs()
    assert [run.seen for run in runs] == [outcome] * len(bench.exercise.cases)
    assert bench.asked == asked


def test_a_cheap_failure_is_looked_at_in_every_case() -> None:
    """An exception costs nothing: each case is run, since each may fail otherwise."""
    bench = FailingBench(raised("ValueError"))
    bench.runs()
    assert bench.asked == len(bench.exercise.cases)
