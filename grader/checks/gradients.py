"""The ways in which gradients arrive, and one run of each: evidence that several checks share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from grader.checks.base import Bench, Check, Drawn, in_float64
from grader.checks.comparison import is_close
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
ONE_TENSOR = tuple(one for one in SITUATIONS if one.needed is None)
"""For functions of one tensor."""

Magnitudes = Callable[[tuple[Any, ...], torch.Tensor], Sequence[torch.Tensor | None]]
"""From float64 arguments and incoming gradient to what each argument's tolerance is measured in."""


@dataclass(frozen=True)
class GradientCheck(Check):
    """What a check of gradients declares, and other checks' runs backward follow."""

    situations: tuple[Situation, ...] = SITUATIONS
    magnitudes: Magnitudes | None = None
    """For a gradient that is a sum; None for an argument whose gradient is its own measure."""

    @abstractmethod
    def problem(self, bench: Bench, run: GradientRun) -> str | None:
        """Say which gradient of a run differs from the reference's, or return None."""


def declared(bench: Bench) -> GradientCheck | None:
    """Return the exercise's check of gradients, if it has one."""
    checks = bench.exercise.checks
    return next((check for check in checks if isinstance(check, GradientCheck)), None)


@dataclass(frozen=True)
class GradientRun:
    """One situation's inputs, and what was seen."""

    situation: Situation
    drawn: tuple[Drawn, ...]
    incoming: torch.Tensor
    flags: tuple[bool, ...]
    step: Step
    seen: Observation | WorkerLostError


def gradient_runs(bench: Bench) -> tuple[GradientRun, ...]:
    """Return one run of each situation, made once; none for an exercise without gradients."""
    check = declared(bench)
    if check is None:
        return ()
    runs: tuple[GradientRun, ...] = bench.remember(
        "gradients", lambda: tuple(gradient_run(bench, situation) for situation in check.situations)
    )
    return runs


def gradient_run(bench: Bench, situation: Situation) -> GradientRun:
    """Return what a plain run of a situation gives."""
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
    return GradientRun(situation, drawn, incoming, flags, step, seen)


def flags_of(arguments: Sequence[Any], needed: tuple[bool, ...] | None = None) -> tuple[bool, ...]:
    """Return for each argument whether it requires a gradient; by default every tensor does."""
    return needed or tuple(isinstance(value, torch.Tensor) for value in arguments)


def magnitudes(
    bench: Bench, arguments: Sequence[Any], incoming: torch.Tensor, flags: Sequence[bool]
) -> list[torch.Tensor | None]:
    """Return what the tolerance of each gradient that is asked for is measured in; None for itself."""
    check = declared(bench)
    if check is None or check.magnitudes is None:
        return [None] * sum(flags)
    wide = tuple(in_float64(value) for value in arguments)
    found = check.magnitudes(wide, incoming.double())
    return [one for one, flag in zip(found, flags, strict=True) if flag]


def agree(
    first: Sequence[torch.Tensor | None],
    second: Sequence[torch.Tensor | None],
    measures: Sequence[torch.Tensor | None],
    ulps: float,
) -> bool:
    """Whether two calls' gradients agree to rounding of `measures`.  NaN agrees with nothing."""
    if not len(first) == len(second) == len(measures):
        return False
    return all(_agree(*one, ulps) for one in zip(first, second, measures, strict=True))


def _agree(
    one: torch.Tensor | None, other: torch.Tensor | None, measure: torch.Tensor | None, ulps: float
) -> bool:
    if one is None or other is None:
        return one is other
    if one.shape != other.shape or one.dtype is not other.dtype or bool(one.isnan().any()):
        return False
    # Both are rounded, each by as much as the reference allows.
    return bool(is_close(one.double(), other.double(), one.dtype, 2 * ulps, measure).all())
