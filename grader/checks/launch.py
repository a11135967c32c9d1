"""`launch`: every launch is one that CUDA accepts, and threads that meet do so at one place.

The launches of a backward of many rows are looked at with kernels that do nothing: running them would take
the simulator long, and grids have limits that only large sizes meet.

A kernel that never ends is seen by `close`: there is no result.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed, observations
from grader.checks.evidence import all_reports, first_report
from grader.checks.gradients import flags_of
from grader.exercise import Case
from grader.judge import messages
from grader.judge.protocol import Step

KINDS = ("launch_error", "barrier_divergence", "warp_divergence", "assert", "division_by_zero", "trap")
_REFUSALS = ("invalid configuration", "invalid argument", "too many resources")


@dataclass(frozen=True)
class Launch(Check):
    """Grid, block and barriers.  See the module."""

    backward: tuple[Case, ...] = ()
    """Cases whose launches, with those of backward, are looked at on the simulator, their kernels idle."""
    name = "launch"

    def run(self, bench: Bench) -> Finding:
        """Report the first launch that was refused."""
        beside = bench.beside()
        found = _reported(bench) or (_reported(beside) if beside else None)
        found = found or self._idle(beside if bench.kind != "sim" else bench)
        if found:
            return found
        function = bench.exercise.answer.called
        for case, one in observations(bench):
            error = one.error
            if error and error.phase == "finish" and any(words in error.message for words in _REFUSALS):
                return failed(messages.exception(function, error, messages.case_text(case)))
        return PASSED

    def _idle(self, bench: Bench | None) -> Finding | None:
        """Report a launch of a large backward that is refused; None without the simulator."""
        if bench is None:
            return None
        for case in self.backward:
            found = first_report(bench, [(case, bench.observe(_idle_step(bench, case)).reports)], KINDS)
            if found:
                return found
        return None


def _idle_step(bench: Bench, case: Case) -> Step:
    """Return a call with its backward, in which no kernel does anything."""
    drawn = bench.draw(case, "launch")
    incoming = bench.random("launch", case.name).normal(drawn.expected.shape, dtype=case.dtype)
    return Step(
        bench.exercise.answer.entry,
        (drawn.arguments,),
        differentiate=flags_of(drawn.arguments),
        gradient=incoming,
        kernels_enabled=False,
    )


def _reported(bench: Bench) -> Finding | None:
    return first_report(bench, all_reports(bench), KINDS)
