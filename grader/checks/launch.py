"""`launch`: every launch is one that CUDA accepts, and the threads of a block meet at its barriers.

A kernel that never ends is seen by `close`: there is no result.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed, observations
from grader.checks.evidence import all_reports, first_report
from grader.judge import messages

KINDS = ("launch_error", "barrier_divergence", "assert", "division_by_zero", "trap")
_REFUSALS = ("invalid configuration", "invalid argument", "too many resources")


@dataclass(frozen=True)
class Launch(Check):
    """Grid, block and barriers.  See the module."""

    name = "launch"

    def run(self, bench: Bench) -> Finding:
        """Report the first launch that was refused."""
        beside = bench.beside()
        found = _reported(bench) or (_reported(beside) if beside else None)
        if found:
            return found
        function = bench.exercise.answer.called
        for case, one in observations(bench):
            error = one.error
            if error and error.phase == "finish" and any(words in error.message for words in _REFUSALS):
                return failed(messages.exception(function, error, messages.case_text(case)))
        return PASSED


def _reported(bench: Bench) -> Finding | None:
    return first_report(bench, all_reports(bench), KINDS)
