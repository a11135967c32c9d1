"""`launch`: every launch is one that CUDA accepts, and no block waits for ever."""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed, observations
from grader.checks.evidence import first_report
from grader.judge import messages

KINDS = ("launch_error", "barrier_divergence", "deadlock", "assert", "division_by_zero", "trap")
_REFUSALS = ("invalid configuration", "invalid argument", "too many resources")


@dataclass(frozen=True)
class Launch(Check):
    """Grid, block and barriers.  See the module."""

    name = "launch"

    def run(self, bench: Bench) -> Finding:
        """Report the first launch that was refused."""
        seen = observations(bench)
        found = first_report(bench, [(case, one.reports) for case, one in seen], KINDS)
        if found:
            return found
        function = bench.exercise.answer.called
        for case, one in seen:
            error = one.error
            if error and error.phase == "finish" and any(words in error.message for words in _REFUSALS):
                return failed(messages.exception(function, error, messages.case_text(case)))
        return PASSED
