"""What `segment_sum` draws, and how much rounding it allows."""

from __future__ import annotations

import pytest
import torch

from grader.checks.comparison import compare
from grader.exercise import Case, Draw
from grader.exercises import get

EXERCISE = get("segment_sum")
CASES = [case for case in EXERCISE.cases if -1 not in case.shape]


def drawn(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the tensors of a case."""
    values, offsets = EXERCISE.inputs(case, Draw(11, case.name))
    return values, offsets


def sums(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """Return each segment's sum, one segment after the other, in the type of `values`."""
    pairs = zip(offsets.tolist(), offsets.tolist()[1:], strict=False)
    return torch.stack([values[begin:end].sum(0) for begin, end in pairs])


def allows(values: torch.Tensor, offsets: torch.Tensor, result: torch.Tensor) -> bool:
    """Whether the exercise accepts a result."""
    assert EXERCISE.magnitude is not None
    wide = values.double()
    expected, magnitude = EXERCISE.reference(wide, offsets), EXERCISE.magnitude(wide, offsets)
    return compare(result.float(), expected, torch.float32, EXERCISE.ulps, magnitude) is None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_offsets_go_from_zero_to_n_without_decreasing(case: Case) -> None:
    """Offsets keep the promise that the signature makes, whatever their layout."""
    values, offsets = drawn(case)
    assert offsets.dtype is torch.int64
    assert offsets.shape == (case.shape[2] + 1,)
    assert offsets[0] == 0
    assert offsets[-1] == len(values) == case.shape[0]
    assert bool((offsets.diff() >= 0).all())


def test_lengths_vary_from_nothing_to_everything() -> None:
    """Some segment holds all rows, some hold none, and most of one case's are empty."""
    lengths = {case.name: drawn(case)[1].diff() for case in CASES}
    assert any(int(one.max()) == int(one.sum()) > 60_000 and len(one) > 1 for one in lengths.values())
    assert any(int((one == 0).sum()) > len(one) / 2 for one in lengths.values())
    assert any(int(one.min()) == int(one.max()) == 1 for one in lengths.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_float_sums_are_allowed(case: Case) -> None:
    """Adding in float32 in another order than the reference is right for every case."""
    values, offsets = drawn(case)
    assert allows(values, offsets, sums(values, offsets))
    assert allows(values, offsets, sums(values.flip(0), len(values) - offsets.flip(0)).flip(0))


@pytest.mark.parametrize("case", [case for case in CASES if "whole" in case.name], ids=lambda case: case.name)
def test_no_row_of_whole_numbers_can_go_missing(case: Case) -> None:
    """Every number is odd, and its segment's sum is exact: without the last row the sum is wrong."""
    values, offsets = drawn(case)
    result = sums(values, offsets)
    segment = int((offsets < case.shape[0]).sum()) - 1
    result[segment] -= values[-1]
    assert bool((values.remainder(2) == 1).all())
    assert not allows(values, offsets, result)


def test_differences_of_float_prefix_sums_are_not_allowed() -> None:
    """A short segment behind many rows loses its digits in the subtraction."""
    case = next(case for case in CASES if "behind many rows" in case.name)
    values, offsets = drawn(case)
    before = torch.cat([torch.zeros(1, 1), values.cumsum(0)])
    assert not allows(values, offsets, before[offsets[1:]] - before[offsets[:-1]])
