"""From findings to points.  A score is a plain number between 0 and the maximum, and it adds up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grader.checks.base import Bench, Check, Finding
from grader.exercise import Exercise
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.verdict import CheckResult, Outcome

_VACUOUS = "Not looked at: no case gives the right values yet."
_UNBUILT = "Not looked at: the answer does not build yet."
_NO_POINTS = "The work is not done by the answer's own kernel, so no point is given."


@dataclass(frozen=True)
class Scored:
    """A check's finding, and whether it takes every point."""

    check: Check
    finding: Finding
    zeroes: bool = False


def examine(
    exercise: Exercise, bench_for: Callable[[Check], Bench | None], anything_right: Callable[[], bool]
) -> tuple[CheckResult, ...]:
    """Run the checks in order and return their results."""
    scored: list[Scored] = []
    for check in exercise.checks:
        scored.append(_examine(check, bench_for, anything_right, scored, exercise))
    zeroed = any(one.zeroes for one in scored)
    return tuple(_result(one, zeroed) for one in scored)


def _examine(
    check: Check,
    bench_for: Callable[[Check], Bench | None],
    anything_right: Callable[[], bool],
    before: Sequence[Scored],
    exercise: Exercise,
) -> Scored:
    if any(one.check.name == "build" and one.finding.outcome is not Outcome.PASSED for one in before):
        return Scored(check, Finding(Outcome.NOT_RUN, _UNBUILT))
    asks = check.name != "build" and (check.needs_values or check.vacuous_without_values)
    right = not asks or anything_right()
    if check.needs_values and not right:
        return Scored(check, Finding(Outcome.NOT_RUN, _VACUOUS))
    bench = bench_for(check)
    if bench is None:
        return Scored(check, Finding(Outcome.NOT_RUN, "Not looked at: the simulator cannot run this answer."))
    try:
        finding = check.run(bench)
    except WorkerLostError as loss:
        text = messages.lost(exercise.answer.called, loss, f"during {check.name}")
        return Scored(check, Finding(Outcome.FAILED, text))
    if finding.outcome is Outcome.PASSED and check.vacuous_without_values and not right:
        finding = Finding(Outcome.NOT_RUN, _VACUOUS)
    return Scored(check, finding, check.zeroes_score and finding.outcome is Outcome.FAILED)


def _result(scored: Scored, zeroed: bool) -> CheckResult:
    check, finding = scored.check, scored.finding
    earned = float(check.points) if finding.outcome is Outcome.PASSED and not zeroed else 0.0
    if zeroed and finding.outcome is Outcome.PASSED and check.points:
        finding = replace(finding, message=_NO_POINTS)
    return CheckResult(
        check.name,
        finding.outcome,
        earned,
        float(check.points),
        finding.message,
        finding.where,
        finding.details,
    )
