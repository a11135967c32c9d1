"""`rejects`: arguments that the exercise does not accept raise an exception before any launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.observation import Observation
from grader.judge.protocol import Placed, Step

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Bad:
    """A change that makes valid arguments unacceptable, and how messages describe the result."""

    what: str
    change: Callable[[Arguments], Arguments]
    advice: str


def on_cpu(position: int, name: str) -> Bad:
    """Put one tensor on the CPU."""
    return Bad(
        f"{name} on the CPU",
        lambda arguments: _with(arguments, position, Placed(arguments[position], "cpu")),
        f"TORCH_CHECK({name}.is_cuda(), ...)",
    )


def of_dtype(position: int, name: str, dtype: torch.dtype) -> Bad:
    """Give one tensor another type."""
    kind = str(dtype).removeprefix("torch.")
    return Bad(
        f"{name} of dtype {kind}",
        lambda arguments: _with(arguments, position, arguments[position].to(dtype)),
        f"TORCH_CHECK on {name}.scalar_type(), or data_ptr of the right type",
    )


def all_of_dtype(names: str, dtype: torch.dtype) -> Bad:
    """Give every tensor another type."""
    kind = str(dtype).removeprefix("torch.")
    return Bad(
        f"{names} of dtype {kind}",
        lambda arguments: tuple(v.to(dtype) if isinstance(v, torch.Tensor) else v for v in arguments),
        "TORCH_CHECK on scalar_type(), or data_ptr of the right type",
    )


def of_shape(position: int, name: str, what: str, change: Callable[[torch.Tensor], torch.Tensor]) -> Bad:
    """Give one tensor a shape that does not match."""
    return Bad(
        f"{name} {what}",
        lambda arguments: _with(arguments, position, change(arguments[position]).contiguous()),
        f"TORCH_CHECK on {name}.sizes()",
    )


def of_dimensions(position: int, name: str, shape: tuple[int, ...]) -> Bad:
    """Give one tensor another number of dimensions, by a shape."""
    return Bad(
        f"{name} of {len(shape)} dimension{'s' if len(shape) != 1 else ''}",
        lambda arguments: _with(arguments, position, arguments[position].reshape(-1)[0].repeat(shape)),
        f"TORCH_CHECK on {name}.dim()",
    )


def _with(arguments: Arguments, position: int, value: Any) -> Arguments:
    return (*arguments[:position], value, *arguments[position + 1 :])


@dataclass(frozen=True)
class Rejects(Check):
    """Refusals.  `bad` holds the arguments that must raise; `case` the valid ones that they are made from."""

    bad: tuple[Bad, ...] = ()
    case: Case = Case("refused", (6, 4))
    name = "rejects"
    needs_values = True

    def run(self, bench: Bench) -> Finding:
        """Report the first arguments that are not refused."""
        for bad in self.bad:
            problem = self._problem(bench, bad)
            if problem:
                details = [{"kind": "rejects", "what": bad.what}]
                return failed(
                    f"{bench.exercise.answer.called}: {problem} Refuse it with {bad.advice}.", None, details
                )
        return PASSED

    def _problem(self, bench: Bench, bad: Bad) -> str | None:
        arguments = bad.change(bench.draw(self.case, "refused", bad.what).arguments)
        try:
            seen = bench.observe(Step(bench.exercise.answer.entry, (arguments,)))
        except WorkerLostError as loss:
            return messages.lost(f"with {bad.what}, the call", loss, "")
        return _unrefused(seen, bad.what)


def _unrefused(seen: Observation, what: str) -> str | None:
    error = seen.error
    if error is None:
        return f"with {what}, no exception was raised; one was expected."
    if error.phase == "call" and not seen.launches and "CUDA error" not in error.message:
        return None
    if error.phase == "call":
        return f"with {what}, a kernel was launched before the exception; it was expected before any launch."
    return f"with {what}, the kernel was launched and failed; an exception was expected before any launch."
