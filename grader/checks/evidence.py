"""Turning the simulator's reports into findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from grader.checks.base import Bench, Finding, failed
from grader.checks.gradients import Situation, gradient_runs
from grader.exercise import Case
from grader.judge import messages

Where = Case | Situation
"""What an answer was called with, forward alone or with its backward."""
_EXPANDED = frozenset({"expanded", "constant"})
"""Layouts with fewer elements in memory than in the shape."""


def all_reports(bench: Bench) -> list[tuple[Where, Sequence[dict[str, Any]]]]:
    """Return the reports on every case's run, and on every run backward."""
    forward = [(run.case, run.seen.reports) for run in bench.runs()]
    return [*forward, *((run.situation, run.seen.reports) for run in gradient_runs(bench))]


def first_report(
    bench: Bench, seen: Iterable[tuple[Where, Sequence[dict[str, Any]]]], kinds: Sequence[str]
) -> Finding | None:
    """Return the failure that a report of one of `kinds` shows, in the largest tensor, or None."""
    found = [(case, report) for case, reports in seen for report in reports if report.get("kind") in kinds]
    if not found:
        return None
    kind = found[0][1]["kind"]
    alike = [(case, report) for case, report in found if report["kind"] == kind]
    case, report = max(alike, key=lambda one: _numel(one[1]))
    others = [one for where, one in alike if where is case and one is not report]
    return from_report(bench, report, case, [report, *others])


def _numel(report: dict[str, Any]) -> int:
    numel = report.get("numel")
    return numel if isinstance(numel, int) else 0


def from_report(
    bench: Bench, report: dict[str, Any], case: Where | None, details: Sequence[dict[str, Any]] = ()
) -> Finding:
    """Return the failure that a report shows."""
    function = bench.exercise.answer.called
    where = _words(case) if case else None
    line = report.get("line") or report.get("launch_line")
    place = bench.place(line if isinstance(line, int) else None)
    text = messages.report(function, report, where, case is not None and _has_expanded(case))
    return failed(text, place, details or [report])


def _words(where: Where) -> str:
    return where.words if isinstance(where, Situation) else messages.case_text(where)


def _has_expanded(where: Where) -> bool:
    case, gradient = (where.case, where.gradient) if isinstance(where, Situation) else (where, "dense")
    return not _EXPANDED.isdisjoint({*case.layout.split(","), gradient})
