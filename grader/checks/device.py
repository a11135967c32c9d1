"""`device`: with tensors on the second device, and that device current, the result is right and lies there.

With one GPU the evidence comes from the simulator, which has two devices.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.checks.close import call_problem
from grader.checks.evidence import first_report
from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.protocol import Step

_FAULTS = ("illegal_address", "host_access", "wrong_stream", "stream_race", "use_after_free")


@dataclass(frozen=True)
class Device(Check):
    """The second device.  See the module."""

    case: Case = Case("second device", (515,))
    name = "device"
    needs_values = True
    devices = 2

    def run(self, bench: Bench) -> Finding:
        """Report what goes wrong on device 1."""
        function = bench.exercise.answer.called
        drawn = bench.draw(self.case, "device")
        where = f"tensors on {bench.kind}:1, which is current"
        try:
            seen = bench.observe(Step(bench.exercise.answer.entry, (drawn.arguments,), device=1))
        except WorkerLostError as loss:
            return failed(messages.lost(function, loss, where))
        found = first_report(bench, [(self.case, seen.reports)], _FAULTS)
        if seen.error:
            return found or failed(messages.exception(function, seen.error, where))
        problem = call_problem(bench, seen.calls[0], drawn, f"{bench.kind}:1")
        if problem:
            return failed(f"{function}: with {where}, {problem} Take device and stream from the arguments.")
        return found or PASSED
