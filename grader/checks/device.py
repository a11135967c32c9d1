"""`device`: with tensors on the second device, and that device current, the result is right and lies there.

With one GPU the evidence comes from the simulator, which has two devices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.checks.baseline import UNSEEN, Baseline, baseline
from grader.checks.comparison import form
from grader.checks.evidence import first_report
from grader.checks.gradients import agree, flags_of
from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.protocol import Step

_ADVICE = "Take device and stream from the arguments."
_FAULTS = ("illegal_address", "host_access", "wrong_stream", "stream_race", "use_after_free")


@dataclass(frozen=True)
class Device(Check):
    """The second device.  See the module."""

    case: Case = Case("second device", (515,))
    name = "device"
    needs_values = True
    devices = 2

    def run(self, bench: Bench) -> Finding:
        """Report what goes wrong on device 1, forward and backward."""
        plain = baseline(bench, self.case, "device")
        if plain is None:
            return UNSEEN
        step = Step(bench.exercise.answer.entry, (plain.drawn.arguments,), device=1)
        finding = self._forward(bench, step, plain)
        if finding or not bench.exercise.differentiable:
            return finding or PASSED
        return self._backward(bench, step, plain) or PASSED

    def _forward(self, bench: Bench, step: Step, plain: Baseline) -> Finding | None:
        function, where = bench.exercise.answer.called, _where(bench)
        try:
            seen = bench.observe(step)
        except WorkerLostError as loss:
            return failed(messages.lost(function, loss, where))
        found = first_report(bench, [(self.case, seen.reports)], _FAULTS)
        if seen.error:
            return found or failed(messages.exception(function, seen.error, where, seen.reports))
        if seen.device_after != 1:
            return failed(
                f"{function} left device {seen.device_after} current where device 1 was{messages.located(where)}. "
                "Use at::cuda::CUDAGuard, which restores the device, instead of cudaSetDevice."
            )
        output = seen.calls[0].outputs[0]
        problem = form(output, plain.drawn.expected, self.case.dtype, f"{bench.kind}:1")
        if problem is None and output.values is not None:
            problem = plain.problem(bench, output.values)
        if problem:
            return failed(f"{function}: with {where}, {problem} {_ADVICE}")
        return found

    def _backward(self, bench: Bench, step: Step, plain: Baseline) -> Finding | None:
        function, where = bench.exercise.answer.called, f"in backward, {_where(bench)}"
        arguments = plain.drawn.arguments
        gradient = torch.ones_like(plain.drawn.expected, dtype=self.case.dtype)
        backward = replace(step, differentiate=flags_of(arguments), gradient=gradient)
        try:
            first, seen = bench.observe(replace(backward, device=0)), bench.observe(backward)
        except WorkerLostError as loss:
            return failed(messages.lost(function, loss, where))
        found = first_report(bench, [(self.case, seen.reports)], _FAULTS)
        if found or first.error:
            return found
        if seen.error:
            return failed(messages.exception(function, seen.error, where, seen.reports))
        if not agree(first.gradients, seen.gradients):
            return failed(f"{function}: {where}, gradients differ from those on device 0. {_ADVICE}")
        return None


def _where(bench: Bench) -> str:
    return f"tensors on {bench.kind}:1, which is current"
