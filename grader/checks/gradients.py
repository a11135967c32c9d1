"""The ways in which gradients arrive, and one run of each: evidence that several checks share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from grader.checks.base import Bench, Drawn
from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.observation import Observation
from grader.judge.protocol import Step


@dataclass(frozen=True)
class Situation:
    """A way in which gradients arrive."""

    case: Case
    gradient: str = "dense"
    """The layout of the incoming gradient."""
    needed: tuple[bool, ...] | None = None
    calls: int = 1
    """How many calls' results are added, and so share one incoming gradient."""

    @property
    def words(self) -> str:
        """How messages name it."""
        parts = [messages.case_text(self.case)]
        if self.gradient != "dense":
            parts.append(f"incoming gradient {self.gradient}")
        if self.needed:
            parts.append(f"needs_input_grad {self.needed}")
        if self.calls > 1:
            parts.append("the sum of two calls, which share one incoming gradient")
        return ", ".join(parts)


_SMALL = Case("gradient", (3, 5), dtype=torch.float64)
_LARGE = Case("more than a warp", (4, 70), dtype=torch.float64)
_MANY = Case("more than a block", (1031,), dtype=torch.float64)
SITUATIONS = (
    Situation(_SMALL),
    Situation(_LARGE),
    Situation(_MANY),
    Situation(replace(_LARGE, layout="transposed,dense")),
    Situation(_LARGE, gradient="constant"),
    Situation(_LARGE, gradient="transposed"),
    Situation(_LARGE, gradient="expanded"),
    Situation(_SMALL, needed=(True, False)),
    Situation(_SMALL, needed=(False, True)),
    Situation(_SMALL, calls=2),
    Situation(Case("float32 gradient", (37,))),
)
"""For functions of two tensors: `needed` says which of them requires a gradient."""


@dataclass(frozen=True)
class GradientRun:
    """One situation's inputs, and what was seen."""

    situation: Situation
    drawn: tuple[Drawn, ...]
    incoming: torch.Tensor
    flags: tuple[bool, ...]
    seen: Observation | WorkerLostError


def gradient_runs(bench: Bench) -> tuple[GradientRun, ...]:
    """Return one run of each situation, made once; none for an exercise without gradients."""
    if not bench.exercise.differentiable:
        return ()
    runs: tuple[GradientRun, ...] = bench.remember(
        "gradients", lambda: tuple(_run(bench, situation) for situation in SITUATIONS)
    )
    return runs


def _run(bench: Bench, situation: Situation) -> GradientRun:
    drawn = tuple(bench.draw(situation.case, "gradient", str(call)) for call in range(situation.calls))
    draw = bench.random("incoming gradient", situation.words)
    incoming = draw.normal(situation.case.shape, layout=situation.gradient, dtype=situation.case.dtype)
    flags = flags_of(drawn[0].arguments, situation.needed)
    step = Step(
        bench.exercise.answer.entry,
        tuple(one.arguments for one in drawn),
        differentiate=flags,
        gradient=incoming,
    )
    try:
        seen: Observation | WorkerLostError = bench.observe(step)
    except WorkerLostError as loss:
        seen = loss
    return GradientRun(situation, drawn, incoming, flags, seen)


def flags_of(arguments: Sequence[Any], needed: tuple[bool, ...] | None = None) -> tuple[bool, ...]:
    """Return for each argument whether it requires a gradient; by default every tensor does."""
    return needed or tuple(isinstance(value, torch.Tensor) for value in arguments)


def agree(first: Sequence[torch.Tensor | None], second: Sequence[torch.Tensor | None]) -> bool:
    """Whether two calls' gradients agree to rounding.  NaN agrees with nothing."""
    if len(first) != len(second):
        return False
    return all(_agree(one, other) for one, other in zip(first, second, strict=True))


def _agree(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    if one.shape != other.shape or one.dtype is not other.dtype:
        return False
    return torch.allclose(one, other, rtol=4 * torch.finfo(one.dtype).eps, atol=0.0)
