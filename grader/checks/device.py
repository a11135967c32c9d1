"""`device`: on the second device, with that device current, the answer does what it does on the first.

With `guard` also while the first device is current: device and stream have to come from the tensors.

With one GPU the evidence comes from the simulator, which has two devices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from grader.checks.base import PASSED, Bench, Check, Drawn, Finding, failed
from grader.checks.baseline import UNSEEN
from grader.checks.close import value_problem
from grader.checks.comparison import form
from grader.checks.evidence import first_report
from grader.checks.gradients import agree, flags_of, magnitudes
from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.observation import Observation
from grader.judge.protocol import Step

_ADVICE = "Take device and stream from the arguments."
_ELSEWHERE = "On the first device it is right: is all memory, scratch too, made on the tensors' device?"
_GUARD = "Make the tensors' device current first: at::cuda::CUDAGuard guard(x.device());"
_FAULTS = ("illegal_address", "host_access", "use_after_free")
_STREAM_FAULTS = ("wrong_stream", "stream_race")
"""Looked for where a side stream is current: elsewhere they would hide a fault of the second device only."""


@dataclass(frozen=True)
class Device(Check):
    """The second device.  See the module."""

    case: Case = Case("second device", (515,))
    guard: bool = False
    """Whether the answer must be right while another device than its tensors' is current."""
    name = "device"
    needs_values = True
    devices = 2

    def run(self, bench: Bench) -> Finding:
        """Report what goes wrong on device 1 and not on device 0, in one process that meets both in turn."""
        drawn = bench.draw(self.case, "device")
        steps = self._steps(bench, drawn)
        first = [_try(bench, drawn, step) for step in steps]
        for current in (None, 0) if self.guard else (None,):
            second = [_try(bench, drawn, replace(step, device=1, current=current)) for step in steps]
            for step, one, two in zip(steps, first, second, strict=True):
                if two and one is None and _is_of_the_device(bench, drawn, replace(step, current=current)):
                    return two
        return UNSEEN if first[0] else PASSED

    def _steps(self, bench: Bench, drawn: Drawn) -> list[Step]:
        """Return a plain call, one on a side stream, and one with its backward."""
        plain = Step(bench.exercise.answer.entry, (drawn.arguments,))
        steps = [plain, replace(plain, streams=("side",), busy=("side",), produce=True)]
        if bench.exercise.differentiable:
            gradient = torch.ones_like(drawn.expected, dtype=self.case.dtype)
            steps.append(replace(plain, differentiate=flags_of(drawn.arguments), gradient=gradient))
        return steps


def _is_of_the_device(bench: Bench, drawn: Drawn, step: Step) -> bool:
    """Tell whether a fault among streams is the second device's: on a GPU a race may show there by chance.

    The simulator, which sees every race on either device, is asked beside a GPU.
    """
    beside = bench.beside() if step.produce else None
    if beside is None:
        return True
    first = _try(beside, drawn, replace(step, current=None))
    return first is None and _try(beside, drawn, replace(step, device=1)) is not None


def _try(bench: Bench, drawn: Drawn, step: Step) -> Finding | None:
    """Do a step and return what is wrong with it."""
    other = step.current is not None
    where = f"tensors on {bench.kind}:{step.device}"
    where += f" while {bench.kind}:{step.current} is current" if other else ", which is current"
    try:
        seen = bench.observe(step)
    except WorkerLostError as loss:
        return failed(messages.lost(bench.exercise.answer.called, loss, where))
    kinds = (*_FAULTS, *_STREAM_FAULTS) if step.produce else _FAULTS
    found = first_report(bench, [(drawn.case, seen.reports)], kinds)
    if found and other:
        found = replace(found, message=f"{found.message} Seen with {where}. {_GUARD}")
    elif found and step.device:
        found = replace(found, message=f"{found.message} {_ELSEWHERE}")
    return found or _problem(bench, drawn, step, seen, where)


def _problem(bench: Bench, drawn: Drawn, step: Step, seen: Observation, where: str) -> Finding | None:
    function = bench.exercise.answer.called
    if seen.error:
        return failed(messages.exception(function, seen.error, where, seen.reports))
    current = step.device if step.current is None else step.current
    if seen.device_after != current:
        return failed(
            f"{function} left device {seen.device_after} current where device {current} was. "
            "Use at::cuda::CUDAGuard, which restores the device, instead of cudaSetDevice."
        )
    if not seen.calls[0].outputs:
        return failed(f"{function}: with {where}, no result could be read. {_ADVICE}")
    output = seen.calls[0].outputs[0]
    dtype = bench.exercise.result_dtype(drawn.case)
    problem = form(output, drawn.expected, dtype, f"{bench.kind}:{step.device}")
    if problem is None and output.values is not None:
        problem = value_problem(bench, output.values, drawn)
    if problem is None and step.gradient is not None and not _gradients_right(bench, drawn, seen):
        problem = "gradients are wrong."
    advice = _ADVICE if step.current is None else _GUARD
    return failed(f"{function}: with {where}, {problem} {advice}") if problem else None


def _gradients_right(bench: Bench, drawn: Drawn, seen: Observation) -> bool:
    leaves = [v.double().requires_grad_() if isinstance(v, torch.Tensor) else v for v in drawn.arguments]
    wanted = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    expected = torch.autograd.grad(bench.exercise.reference(*leaves).sum(), wanted)
    rounded = [one.to(drawn.case.dtype) for one in expected]
    ones = torch.ones_like(drawn.expected)
    measures = magnitudes(bench, drawn.arguments, ones, flags_of(drawn.arguments))
    return agree(rounded, seen.gradients, measures, bench.exercise.ulps)
