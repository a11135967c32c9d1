"""Comparing a result with the float64 reference.  NaN is never a wildcard."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from grader.judge.observation import OutputSeen


@dataclass(frozen=True)
class Difference:
    """Where a result differs from what was expected."""

    wrong: int
    numel: int
    first: tuple[int, ...]
    last: tuple[int, ...]
    got: float
    expected: float
    nan: int
    """How many of the wrong elements are NaN: poison, if the inputs held none."""
    relative: float
    """The largest relative error among the wrong elements that are finite."""


def tolerance(magnitude: torch.Tensor, dtype: torch.dtype, ulps: float) -> torch.Tensor:
    """Return the allowed distance for each element: `ulps` last places, or the smallest normal number."""
    info = torch.finfo(dtype)
    return magnitude.abs() * (info.eps * ulps) + info.tiny


def is_close(
    got: torch.Tensor,
    expected: torch.Tensor,
    dtype: torch.dtype,
    ulps: float,
    magnitude: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return for each element whether it is close enough, in last places of `magnitude` or of itself."""
    allowed = tolerance(expected if magnitude is None else magnitude, dtype, ulps)
    close = expected.isfinite() & ((got - expected).abs() <= allowed)
    return close | (got == expected) | (got.isnan() & expected.isnan())


def compare(
    values: torch.Tensor,
    expected: torch.Tensor,
    dtype: torch.dtype,
    ulps: float,
    magnitude: torch.Tensor | None = None,
) -> Difference | None:
    """Return the difference between values of one shape, or None if every element is close enough."""
    got = values.double()
    good = is_close(got, expected, dtype, ulps, magnitude)
    if bool(good.all()):
        return None
    positions = (~good).nonzero()
    first, last = (tuple(int(n) for n in positions[index]) for index in (0, -1))
    bad_got, bad_expected = got[~good], expected[~good]
    relative = ((bad_got - bad_expected).abs() / bad_expected.abs().clamp_min(1e-30)).nan_to_num(0.0, 0.0)
    return Difference(
        wrong=len(positions),
        numel=got.numel(),
        first=first,
        last=last,
        got=float(got[first]),
        expected=float(expected[first]),
        nan=int(bad_got.isnan().sum()),
        relative=float(relative.max()),
    )


def told_apart(*numbers: float) -> tuple[str, ...]:
    """Return numbers with seven digits, or with as many as tell them apart."""
    shown: tuple[str, ...] = ()
    for digits in (7, 10, 13, 17):
        shown = tuple(f"{number:.{digits}g}" for number in numbers)
        if len(set(shown)) == len(numbers):
            break
    return shown


def form(output: OutputSeen, expected: torch.Tensor, dtype: torch.dtype, device: str) -> str | None:
    """Say what is wrong with a result before its values: type, shape, device, memory; None if nothing is."""
    values = output.values
    if values is None:
        return "the result could not be read back from the device"
    if values.dtype is not dtype:
        return f"the result has dtype {_name(values.dtype)} instead of {_name(dtype)}"
    if values.shape != expected.shape:
        return f"the result has shape {tuple(values.shape)} instead of {tuple(expected.shape)}"
    if output.device != device:
        return f"the result is on {output.device} instead of {device}"
    return None


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
