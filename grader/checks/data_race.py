"""`data_race`: accesses of different threads are ordered, and no order of threads changes a result.

The evidence comes from the simulator on both devices: on a GPU a race may give the right values for years.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.checks.base import PASSED, Bench, CaseRun, Check, Finding, failed
from grader.checks.comparison import compare
from grader.checks.evidence import Where, all_reports, first_report
from grader.judge import messages, races
from grader.judge.observation import Observation
from grader.judge.protocol import Step

KINDS = ("data_race",)
Reports = Sequence[dict[str, Any]]
_ORDERS = ("descending", "random")
_CASES = 2
_ELEMENTS = 100_000
"""A larger case is left out: the orders are compared for what they show, not for how long they take."""
_REORDERED = 4
"""How many times a result's own tolerance two orders may differ: floating-point atomics add in any order."""


@dataclass(frozen=True)
class DataRace(Check):
    """Accesses without order.  See the module."""

    name = "data_race"
    on_sim = True

    def run(self, bench: Bench) -> Finding:
        """Report the first race, then a result that depends on the order of blocks and threads."""
        found = first_report(bench, _after_barriers(all_reports(bench)), KINDS)
        return found or self._orders(bench) or PASSED

    def _orders(self, bench: Bench) -> Finding | None:
        """Run the largest cases with threads in other orders."""
        sound = [run for run in bench.runs() if isinstance(run.seen, Observation) and run.seen.error is None]
        small = [run for run in sound if run.drawn[0].expected.numel() <= _ELEMENTS]
        largest = sorted(small, key=lambda run: -run.drawn[0].expected.numel())[:_CASES]
        for run in largest:
            for order in _ORDERS:
                found = _in_order(bench, run, order)
                if found:
                    return found
        return None


def _after_barriers(seen: Iterable[tuple[Where, Reports]]) -> Iterator[tuple[Where, Reports]]:
    """Yield the reports; a race where threads wait at different barriers is that fault's doing."""
    for where, reports in seen:
        diverged = any(report.get("kind") == "barrier_divergence" for report in reports)
        yield where, [{**report, "missing": races.DIVERGED} if diverged else report for report in reports]


def _in_order(bench: Bench, run: CaseRun, order: str) -> Finding | None:
    """Call again in this order, and compare with the standard run's first call."""
    assert isinstance(run.seen, Observation)
    drawn = run.drawn[0]
    seen = bench.observe(Step(bench.exercise.answer.entry, (drawn.arguments,), order=order))
    found = first_report(bench, [(run.case, seen.reports)], KINDS)
    usual, other = _values(run.seen), _values(seen)
    if found or usual is None or other is None:
        return found
    function, where = bench.exercise.answer.called, messages.located(messages.case_text(run.case))
    if usual.shape != other.shape or usual.dtype != other.dtype:
        return failed(f"{function}: with threads in {order} order the result has another form{where}.")
    if not usual.dtype.is_floating_point:
        usual, other = usual.double(), other.double()
    ulps = bench.exercise.ulps * _REORDERED
    difference = compare(other, usual.double(), usual.dtype, ulps, drawn.magnitude)
    if difference is None:
        return None
    values = f"{difference.expected:.7g} in ascending order, {difference.got:.7g} in {order} order"
    return failed(
        f"{function}: {difference.wrong} of {difference.numel} values depend on the order in which threads "
        f"and blocks run{where}; at {list(difference.first)}: {values}. A GPU promises no order: use an "
        "atomic, a barrier, or a second launch.",
        details=[{"kind": "order", "order": order, "case": run.case.name}],
    )


def _values(seen: Observation) -> torch.Tensor | None:
    if seen.error or not seen.calls or not seen.calls[0].outputs:
        return None
    return seen.calls[0].outputs[0].values
