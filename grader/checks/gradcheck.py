"""`gradcheck`: gradients are right at more than one warp, for gradients of any layout, and one-sided.

`torch.autograd.gradcheck` runs in the judge, in float64, on a function whose forward and backward are calls
to a worker.  Beside it stand the reference's own gradient (a constant function passes gradcheck), a gradient
shared by two calls (editing it in place passes gradcheck too), and float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError

from grader.checks.base import PASSED, Bench, Drawn, Finding, failed, tensors
from grader.checks.comparison import Difference, compare, is_close, told_apart
from grader.checks.gradients import GradientCheck, GradientRun, flags_of, gradient_runs, magnitudes
from grader.checks.inputs import changed_elements
from grader.exercise import Case, Operator
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.protocol import Step

_REORDERED = 1e-8
"""How far two backward passes may be apart: atomics add in any order, and a race shows in `data_race`."""


class NoGradientError(Exception):
    """The answer raised, or returned nothing of the right form, where a gradient was expected."""


@dataclass(frozen=True)
class Gradcheck(GradientCheck):
    """Gradients.  See the module.  For exercises with one result."""

    corners: tuple[Callable[..., Any], ...] = ()
    """Further references: where one has a corner, another has the derivative from the other side."""
    name = "gradcheck"
    needs_values = True

    def run(self, bench: Bench) -> Finding:
        """Report the first gradient that is wrong."""
        function = bench.exercise.answer.called
        try:
            for run in gradient_runs(bench):
                problem = self.problem(bench, run)
                if problem:
                    return failed(f"{function}: {problem} ({run.situation.words}).")
            return _numeric(bench) or PASSED
        except WorkerLostError as loss:
            return failed(messages.lost(function, loss, "in backward"))
        except NoGradientError as error:
            return failed(str(error))

    def problem(self, bench: Bench, run: GradientRun) -> str | None:
        """Say which gradient of a run differs from the reference's, or return None."""
        return _run_problem(bench, run, (bench.exercise.reference, *self.corners))


def _run_problem(bench: Bench, run: GradientRun, references: Sequence[Callable[..., Any]]) -> str | None:
    """Compare a run with the gradient of the reference, or of one that differs from it at a corner."""
    seen = run.seen
    if isinstance(seen, WorkerLostError):
        raise seen
    if seen.error:
        raise NoGradientError(
            messages.exception(bench.exercise.answer.called, seen.error, run.situation.words, seen.reports)
        )
    wanted = [wanted for one in run.drawn for wanted in _wanted(bench, one, run, references)]
    if len(seen.gradients) != len(wanted):
        return "gradients are missing"
    names = [name for name, flag in zip(bench.exercise.parameters, run.flags, strict=True) if flag]
    for position, (got, expected) in enumerate(zip(seen.gradients, wanted, strict=True)):
        problem = expected.problem(got, run.situation.case.dtype, bench.exercise.ulps)
        if problem:
            unknown = got is None and isinstance(bench.exercise.answer, Operator)
            advice = ": register the formula with torch.library.register_autograd" if unknown else ""
            return f"the gradient for {names[position % len(names)]} {problem}{advice}"
    if seen.gradient_after is None or changed_elements(run.incoming, seen.gradient_after):
        return (
            "backward changed its incoming gradient in place. Others may share it: compute into a new tensor"
        )
    return None


@dataclass(frozen=True)
class _Wanted:
    """One gradient as the references have it: any of `values`, element by element."""

    values: tuple[torch.Tensor, ...]
    magnitude: torch.Tensor | None

    def problem(self, got: torch.Tensor | None, dtype: torch.dtype, ulps: float) -> str | None:
        """Say what is wrong with a gradient, or return None."""
        if got is None:
            return "is None although one is needed"
        shape = self.values[0].shape
        if got.shape != shape:
            return f"has shape {tuple(got.shape)} instead of {tuple(shape)}"
        difference = self._difference(got, dtype, ulps)
        if difference is None:
            return None
        index = list(difference.first)
        is_, has = told_apart(difference.got, difference.expected)
        return f"is {is_} at {index} where the reference has {has}"

    def _difference(self, got: torch.Tensor, dtype: torch.dtype, ulps: float) -> Difference | None:
        nearest = self.values[0]
        for other in self.values[1:]:
            fits = is_close(got.double(), other, dtype, ulps, self.magnitude)
            nearest = torch.where(fits, other, nearest)
        return compare(got, nearest, dtype, ulps, self.magnitude)


def _wanted(
    bench: Bench, drawn: Drawn, run: GradientRun, references: Sequence[Callable[..., Any]]
) -> list[_Wanted]:
    found = [_gradients(reference, drawn, run) for reference in references]
    measures = magnitudes(bench, drawn.arguments, run.incoming, run.flags)
    return [_Wanted(tuple(one), measure) for *one, measure in zip(*found, measures, strict=True)]


def _gradients(reference: Callable[..., Any], drawn: Drawn, run: GradientRun) -> tuple[torch.Tensor, ...]:
    """Return a reference's gradients by PyTorch's own autograd, in float64."""
    leaves = [
        value.detach().double().requires_grad_(flag) if isinstance(value, torch.Tensor) else value
        for value, flag in zip(drawn.arguments, run.flags, strict=True)
    ]
    wanted = [leaf for leaf, flag in zip(leaves, run.flags, strict=True) if flag]
    return torch.autograd.grad(reference(*leaves), wanted, run.incoming.double())


def _numeric(bench: Bench) -> Finding | None:
    """Run torch.autograd.gradcheck: in full on few elements, in fast mode on more than a warp."""
    for shape, fast in (((2, 3), False), ((4, 70), True)):
        drawn = bench.draw(Case("gradcheck", shape, dtype=torch.float64), "numeric")
        remote, inputs = _remote(bench, drawn)
        try:
            torch.autograd.gradcheck(
                remote, inputs, fast_mode=fast, check_undefined_grad=False, nondet_tol=_REORDERED
            )
        except GradcheckError as error:
            first = str(error).strip().split("\n")[0]
            return failed(f"{bench.exercise.answer.called}: gradcheck at shape {list(shape)}: {first}")
    return None


def _remote(bench: Bench, drawn: Drawn) -> tuple[Any, tuple[torch.Tensor, ...]]:
    """Return the answer as a differentiable function of its tensors, and those tensors.  Numbers stay."""
    inputs = tuple(value.detach().requires_grad_() for value in tensors(drawn.arguments))
    answer = bench.exercise.answer
    flags = flags_of(drawn.arguments)

    def arguments(values: Sequence[torch.Tensor]) -> tuple[Any, ...]:
        rest = iter(values)
        return tuple(next(rest) if flag else old for old, flag in zip(drawn.arguments, flags, strict=True))

    class Remote(torch.autograd.Function):
        """Forward and backward are calls to the worker."""

        @staticmethod
        def forward(ctx: Any, *values: torch.Tensor) -> torch.Tensor:
            """Call the answer."""
            ctx.save_for_backward(*values)
            seen = bench.observe(Step(answer.entry, (arguments(values),)))
            output = seen.calls[0].outputs[0].values if seen.error is None and seen.calls[0].outputs else None
            if output is None or output.shape != drawn.expected.shape:
                raise NoGradientError(f"{answer.called} gave no result of the right shape in gradcheck.")
            return output

        @staticmethod
        def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
            """Call the answer again, then its backward."""
            values = ctx.saved_tensors
            step = Step(answer.entry, (arguments(values),), differentiate=flags, gradient=gradients[0])
            seen = bench.observe(step)
            if seen.error or len(seen.gradients) != len(values):
                raise NoGradientError(f"{answer.called} gave no gradient in gradcheck.")
            return seen.gradients

    return Remote.apply, inputs
