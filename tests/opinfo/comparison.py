"""One sample on the CPU and on the device: equal, or in what they differ."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
from torch.utils._pytree import tree_flatten

from tests.opinfo.database import Sample, seed_everything, tensors_in

# What these return is undefined until somebody writes to it.
UNDEFINED = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")
RESIZES = ("resize_", "resize_as_")


class DifferenceError(AssertionError):
    """The device's result is not the CPU's."""


@dataclass(frozen=True)
class Outcome:
    """What became of one sample: `pass`, `random` (shapes and types agree), `skip` or `fail`."""

    result: str
    reason: str = ""


def forward(name: str, sample: Sample) -> Outcome:
    """Compare results, and what became of the arguments."""
    return _compared(name, sample, lambda call: (_without_gradients(call.run), call.tensors()))


def backward(name: str, sample: Sample) -> Outcome:
    """Compare the gradients of a weighted sum of the results."""
    return _compared(name, sample, lambda call: (lambda: _gradients(call), []))


_Run = Callable[[Sample], tuple[Callable[[], Any], list[torch.Tensor]]]


def _compared(name: str, sample: Sample, run: _Run) -> Outcome:
    twin = sample.on("sim")
    try:
        expected = _evaluate(sample, run)
    except Exception as error:
        return Outcome("skip", f"the CPU raises {type(error).__name__}")
    if expected is None:
        return Outcome("skip", "no result needs a gradient")
    try:
        observed = _evaluate(twin, run)
        _check_reports()
        if name in UNDEFINED + RESIZES:
            _compare_shapes(expected, observed)
            return Outcome("random", "contents are undefined")
        return _compare(sample, run, expected, observed)
    except Exception as error:
        _forget_reports()
        return Outcome("fail", _words(error))


def _evaluate(sample: Sample, run: _Run) -> Any:
    seed_everything(1)
    action, changed = run(sample)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = action()
    return None if result is None else _on_host((result, changed), sample)


def _on_host(value: Any, sample: Sample) -> list[Any]:
    from grader import simulator

    leaves = tree_flatten(value)[0]
    if any(tensor.device.type == "sim" for tensor in sample.tensors()):
        torch.accelerator.synchronize()
    if simulator.last_error()["error"]:
        raise DifferenceError("a CUDA error is left behind")
    return [leaf.detach() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]


def _without_gradients(action: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> Any:
        with torch.no_grad():
            return action()

    return run


def _gradients(sample: Sample) -> Any:
    results = [tensor for tensor in tensors_in(sample.run()) if tensor.requires_grad]
    inputs = [tensor for tensor in sample.tensors() if tensor.requires_grad]
    if not results or not inputs:
        return None
    weighted = [(result * _weights(result)).sum() for result in results]
    total = sum(value.real if value.is_complex() else value for value in weighted)
    return torch.autograd.grad(total, inputs, allow_unused=True)


def _weights(result: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator().manual_seed(result.numel())
    weights = torch.rand(result.shape, generator=generator, dtype=torch.float64) + 0.5
    return weights.to(result.dtype).to(result.device)


def _compare(sample: Sample, run: _Run, expected: list[Any], observed: list[Any]) -> Outcome:
    try:
        _compare_values(expected, observed)
    except AssertionError:
        _compare_shapes(expected, observed)
        if not _is_random(sample, run, expected):
            raise
        return Outcome("random", "draws random numbers")
    return Outcome("pass")


def _is_random(sample: Sample, run: _Run, expected: list[Any]) -> bool:
    """Whether the CPU itself gives other values for another seed; some calls seed by hand."""
    seed = torch.manual_seed
    expected = [want.clone() if isinstance(want, torch.Tensor) else want for want in expected]
    try:
        with mock.patch.object(torch, "manual_seed", lambda number: seed(number + 1)):
            _compare_values(expected, _evaluate(sample, run))
    except AssertionError:
        return True
    return False


def _compare_values(expected: list[Any], observed: list[Any]) -> None:
    for want, got in _pairs(expected, observed):
        if isinstance(want, torch.Tensor):
            torch.testing.assert_close(got.cpu(), want, equal_nan=True, **_tolerance(want))
        elif want != got and not (want != want and got != got):
            raise DifferenceError(f"{got!r} instead of {want!r}")


def _tolerance(want: torch.Tensor) -> dict[str, float]:
    """Return a tenth of what PyTorch's own comparison of CUDA with the CPU allows (`test_compare_cpu`).

    Exact equality would be too much: the device composes some operators of others.
    """
    inexact = want.is_floating_point() or want.is_complex()
    return {"rtol": 1e-4, "atol": 1e-4} if inexact else {"rtol": 0, "atol": 0}


def _compare_shapes(expected: list[Any], observed: list[Any]) -> None:
    for want, got in _pairs(expected, observed):
        if isinstance(want, torch.Tensor) and (want.shape, want.dtype) != (got.shape, got.dtype):
            raise DifferenceError(
                f"{got.dtype} of {tuple(got.shape)} instead of {want.dtype} of {tuple(want.shape)}"
            )


def _pairs(expected: list[Any], observed: list[Any]) -> Iterator[tuple[Any, Any]]:
    if len(expected) != len(observed):
        raise DifferenceError(f"{len(observed)} results instead of {len(expected)}")
    for want, got in zip(expected, observed, strict=True):
        if isinstance(want, torch.Tensor) != isinstance(got, torch.Tensor):
            raise DifferenceError(f"{type(got).__name__} instead of {type(want).__name__}")
        yield want, got


def _check_reports() -> None:
    from grader import simulator

    if found := simulator.reports():
        raise DifferenceError(f"reported: {found[0]['kind']}: {found[0].get('message', '')}")


def _forget_reports() -> None:
    from grader import simulator

    simulator.reports()


def _words(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300]
