"""`gradcheck`: gradients are right at more than one warp, for gradients of any layout, and one-sided.

`torch.autograd.gradcheck` runs in the judge on a function whose forward and backward are calls to the worker.
Beside it: the reference's own gradient (a constant function passes gradcheck), a gradient shared by two calls
(editing it in place passes gradcheck too), and float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from grader.checks.base import PASSED, Bench, Check, Drawn, Finding, failed, tensors
from grader.checks.comparison import compare
from grader.checks.evidence import first_report
from grader.checks.inputs import changed_elements
from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.observation import Observation
from grader.judge.protocol import Step

_FAULTS = ("wrong_stream", "stream_race")


class BackwardFailedError(Exception):
    """The answer raised, or returned no gradient, where one was expected."""


@dataclass(frozen=True)
class Situation:
    """A way in which gradients arrive."""

    case: Case
    gradient: str = "dense"
    needed: tuple[bool, ...] | None = None
    calls: int = 1

    @property
    def words(self) -> str:
        """How messages name it."""
        parts = [messages.case_text(self.case)]
        if self.gradient != "dense":
            parts.append(f"incoming gradient {self.gradient}")
        if self.needed:
            parts.append(f"needs_input_grad {self.needed}")
        if self.calls > 1:
            parts.append("f(a, b) + f(c, d), which share one incoming gradient")
        return ", ".join(parts)


def _situations() -> tuple[Situation, ...]:
    small = Case("gradient", (3, 5), dtype=torch.float64)
    large = Case("more than a warp", (4, 70), dtype=torch.float64)
    single = Case("float32 gradient", (37,), dtype=torch.float32)
    return (
        Situation(small),
        Situation(large),
        Situation(replace(small, layout="transposed,dense")),
        Situation(small, gradient="constant"),
        Situation(large, gradient="transposed"),
        Situation(small, needed=(True, False)),
        Situation(small, needed=(False, True)),
        Situation(small, calls=2),
        Situation(single),
    )


@dataclass(frozen=True)
class Gradcheck(Check):
    """Gradients.  See the module.  For exercises with one result."""

    name = "gradcheck"
    needs_values = True

    def run(self, bench: Bench) -> Finding:
        """Report the first gradient that is wrong."""
        try:
            for situation in _situations():
                finding = self._compare(bench, situation)
                if finding:
                    return finding
            return self._numeric(bench) or self._on_side_stream(bench) or PASSED
        except WorkerLostError as loss:
            return failed(messages.lost(bench.exercise.answer.called, loss, "in backward"))
        except BackwardFailedError as error:
            return failed(str(error))

    def _compare(self, bench: Bench, situation: Situation) -> Finding | None:
        """Compare with the gradient of the reference."""
        function = bench.exercise.answer.called
        drawn = [bench.draw(situation.case, "gradient", str(n)) for n in range(situation.calls)]
        incoming = _incoming(bench, situation)
        flags = _flags(drawn[0].arguments, situation.needed)
        seen = _backward(bench, [one.arguments for one in drawn], flags, incoming, situation.words)
        wanted = [gradient for one in drawn for gradient in _reference(bench, one, flags, incoming)]
        for position, (got, expected) in enumerate(zip(seen.gradients, wanted, strict=True)):
            problem = _problem(got, expected, situation, bench.exercise.ulps)
            if problem:
                name = _names(bench, flags)[position % sum(flags)]
                return failed(f"{function}: the gradient for {name} {problem} ({situation.words}).")
        if seen.gradient_after is None or changed_elements(incoming, seen.gradient_after):
            return failed(
                f"{function}: backward changed its incoming gradient in place ({situation.words}). "
                "Others may share it: compute into a new tensor."
            )
        return None

    def _numeric(self, bench: Bench) -> Finding | None:
        """Run torch.autograd.gradcheck: in full on few elements, in fast mode on more than a warp."""
        for shape, fast in (((3, 5), False), ((4, 70), True)):
            drawn = bench.draw(Case("gradcheck", shape, dtype=torch.float64), "numeric")
            remote, inputs = _remote(bench, drawn)
            try:
                torch.autograd.gradcheck(remote, inputs, fast_mode=fast, check_undefined_grad=False)
            except torch.autograd.gradcheck.GradcheckError as error:  # type: ignore[attr-defined]
                first = str(error).strip().split("\n")[0]
                return failed(f"{bench.exercise.answer.called}: gradcheck at shape {list(shape)}: {first}")
        return None

    def _on_side_stream(self, bench: Bench) -> Finding | None:
        """Backward's own launches follow the current stream too."""
        drawn = bench.draw(Case("backward in a stream", (129,), dtype=torch.float64), "side")
        flags = _flags(drawn.arguments, None)
        incoming = torch.ones_like(drawn.expected)
        step = Step(
            bench.exercise.answer.entry, (drawn.arguments,), streams=("side",), busy=("side",), produce=True,
            differentiate=flags, gradient=incoming,
        )  # fmt: skip
        return first_report(bench, [(drawn.case, bench.observe(step).reports)], _FAULTS)


def _incoming(bench: Bench, situation: Situation) -> torch.Tensor:
    draw = bench.random("incoming gradient", situation.words)
    return draw.normal(situation.case.shape, layout=situation.gradient, dtype=situation.case.dtype)


def _flags(arguments: Sequence[Any], needed: tuple[bool, ...] | None) -> tuple[bool, ...]:
    """Return for each argument whether it requires a gradient; by default every tensor does."""
    if needed is not None:
        return needed
    return tuple(isinstance(value, torch.Tensor) for value in arguments)


def _backward(
    bench: Bench,
    calls: Sequence[tuple[Any, ...]],
    flags: tuple[bool, ...],
    incoming: torch.Tensor,
    words: str,
) -> Observation:
    step = Step(bench.exercise.answer.entry, tuple(calls), differentiate=flags, gradient=incoming)
    seen = bench.observe(step)
    if seen.error:
        raise BackwardFailedError(messages.exception(bench.exercise.answer.called, seen.error, words))
    if len(seen.gradients) != sum(flags) * len(calls):
        raise BackwardFailedError(f"{bench.exercise.answer.called}: gradients are missing ({words}).")
    return seen


def _reference(
    bench: Bench, drawn: Drawn, flags: tuple[bool, ...], incoming: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Return the reference's gradients by PyTorch's own autograd, in float64."""
    leaves = [
        value.detach().double().requires_grad_(flag) if isinstance(value, torch.Tensor) else value
        for value, flag in zip(drawn.arguments, flags, strict=True)
    ]
    wanted = [leaf for leaf, flag in zip(leaves, flags, strict=True) if flag]
    return torch.autograd.grad(bench.exercise.reference(*leaves), wanted, incoming.double())


def _problem(
    got: torch.Tensor | None, expected: torch.Tensor, situation: Situation, ulps: float
) -> str | None:
    if got is None:
        return "is None although one is needed"
    if got.shape != expected.shape:
        return f"has shape {tuple(got.shape)} instead of {tuple(expected.shape)}"
    difference = compare(got, expected, situation.case.dtype, ulps)
    if difference is None:
        return None
    index = list(difference.first)
    return f"is {difference.got:.6g} at {index} where the reference has {difference.expected:.6g}"


def _names(bench: Bench, flags: tuple[bool, ...]) -> list[str]:
    return [name for name, flag in zip(bench.exercise.parameters, flags, strict=True) if flag]


def _remote(bench: Bench, drawn: Drawn) -> tuple[Any, tuple[torch.Tensor, ...]]:
    """Return the answer as a differentiable function of the judge, and inputs for it."""
    inputs = tuple(value.detach().requires_grad_() for value in tensors(drawn.arguments))

    class Remote(torch.autograd.Function):
        """Forward and backward are calls to the worker."""

        @staticmethod
        def forward(ctx: Any, *values: torch.Tensor) -> torch.Tensor:
            """Call the answer."""
            ctx.save_for_backward(*values)
            seen = bench.observe(Step(bench.exercise.answer.entry, (values,)))
            output = seen.calls[0].outputs[0].values if seen.error is None and seen.calls[0].outputs else None
            if output is None or output.shape != drawn.expected.shape:
                raise BackwardFailedError(
                    f"{bench.exercise.answer.called} returned no result of the right shape."
                )
            return output

        @staticmethod
        def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
            """Call the answer again, then its backward."""
            flags = tuple(True for _ in ctx.saved_tensors)
            seen = _backward(bench, [ctx.saved_tensors], flags, gradients[0], "in gradcheck")
            return seen.gradients

    return Remote.apply, inputs
