"""From findings to points: what depends on what, and that the sum is always the score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.exercise import Exercise
from grader.exercises import get
from grader.judge.faults import WorkerLostError
from grader.judge.scoring import examine
from grader.verdict import CheckResult, Outcome

BENCH = cast(Bench, object())


def check(name_: str, act: Callable[[], Finding], points: int = 2, **traits: Any) -> Check:
    """Return a check that finds what `act` returns."""

    @dataclass(frozen=True)
    class Made(Check):
        name = name_

        def run(self, bench: Bench) -> Finding:
            return act()

    for trait, value in traits.items():
        setattr(Made, trait, value)
    return Made(points)


def results(
    checks: tuple[Check, ...], right: bool = True, bench: Bench | None = BENCH
) -> dict[str, CheckResult]:
    """Examine with these checks."""
    exercise: Exercise = replace(get("add_relu"), checks=checks, points=sum(one.points for one in checks))
    return {result.name: result for result in examine(exercise, lambda check: bench, lambda: right)}


def crash() -> Finding:
    """Lose the worker."""
    raise WorkerLostError("crash", "crashed (SIGSEGV)")


def test_each_check_earns_its_own_points() -> None:
    """A failed check costs its points and no other's."""
    found = results(
        (check("a", lambda: PASSED), check("b", lambda: failed("no")), check("c", lambda: PASSED))
    )
    assert {name: one.score for name, one in found.items()} == {"a": 2.0, "b": 0.0, "c": 2.0}


def test_nothing_is_looked_at_without_a_build() -> None:
    """When the answer does not build, the other checks are not run."""
    found = results((check("build", lambda: failed("no"), 0), check("close", lambda: PASSED)))
    assert found["close"].verdict is Outcome.NOT_RUN
    assert found["close"].score == 0


def test_vacuous_pass_earns_nothing() -> None:
    """A property that holds only because nothing is computed is not passed; a fault is still told."""
    checks = (
        check("close", lambda: failed("wrong"), vacuous_without_values=False),
        check("inputs", lambda: PASSED),
        check("launch", lambda: failed("too many threads")),
        check("stream_race", crash, needs_values=True),
    )
    found = results(checks, right=False)
    assert found["inputs"].verdict is Outcome.NOT_RUN
    assert found["launch"].verdict is Outcome.FAILED
    assert found["stream_race"].verdict is Outcome.NOT_RUN
    assert sum(one.score for one in found.values()) == 0


def test_lost_worker_costs_its_own_check() -> None:
    """A crash fails the check in which it happened, says so, and the others go on."""
    found = results((check("a", crash), check("b", lambda: PASSED)))
    assert found["a"].verdict is Outcome.FAILED
    assert "SIGSEGV" in found["a"].message
    assert found["b"].score == 2


def test_policy_takes_every_point() -> None:
    """Work that is not the kernel's earns nothing, and the score is still the sum of the checks' scores."""
    checks = (
        check("close", lambda: PASSED),
        check("policy", lambda: failed("torch::relu"), 0, zeroes_score=True),
    )
    found = results(checks)
    assert found["close"].score == 0
    assert "no point" in found["close"].message


def test_lost_policy_takes_no_other_points() -> None:
    """Without evidence of foul play, a crash while looking for it is only that check's failure."""
    checks = (check("close", lambda: PASSED), check("policy", crash, 0, zeroes_score=True))
    assert results(checks)["close"].score == 2


@pytest.mark.parametrize("right", [True, False])
def test_missing_bench_is_not_run(right: bool) -> None:
    """A check whose evidence cannot be had here is not run, neither passed nor failed."""
    assert results((check("memory", crash),), right=right, bench=None)["memory"].verdict is Outcome.NOT_RUN
