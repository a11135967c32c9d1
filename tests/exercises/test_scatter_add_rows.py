"""What `scatter_add_rows` draws, and how much rounding it allows."""

from __future__ import annotations

import pytest
import torch

from grader.checks.comparison import compare
from grader.exercise import Case, Draw
from grader.exercises import get

EXERCISE = get("scatter_add_rows")
CASES = [case for case in EXERCISE.cases if -1 not in case.shape]


def drawn(case: Case) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Return the arguments of a case."""
    src, index, rows = EXERCISE.inputs(case, Draw(11, case.name))
    return src, index, rows


def scattered(src: torch.Tensor, index: torch.Tensor, rows: int) -> torch.Tensor:
    """Return the sums in float32, in the order of the rows."""
    inside = (index >= 0) & (index < rows)
    return torch.zeros(rows, src.shape[1]).index_add_(0, index[inside], src[inside])


def allows(src: torch.Tensor, index: torch.Tensor, rows: int, result: torch.Tensor) -> bool:
    """Whether the exercise accepts a result."""
    assert EXERCISE.magnitude is not None
    wide = src.double()
    expected, magnitude = EXERCISE.reference(wide, index, rows), EXERCISE.magnitude(wide, index, rows)
    return compare(result, expected, torch.float32, EXERCISE.ulps, magnitude) is None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_order_of_adding_is_allowed(case: Case) -> None:
    """Float32 sums in the order of the rows, and in the opposite one, are right."""
    src, index, rows = drawn(case)
    assert index.dtype is torch.int64
    assert allows(src, index, rows, scattered(src, index, rows))
    assert allows(src, index, rows, scattered(src.flip(0), index.flip(0), rows))


def test_indices_are_repeated_distinct_and_outside() -> None:
    """All rows go to one place in some case, to places of their own in another; some go nowhere."""
    cases = {case.name: drawn(case) for case in CASES}
    assert any(len(index) > 4000 and len(set(index.tolist())) == 1 for _, index, _ in cases.values())
    assert any(len(index) > 300 and len(set(index.tolist())) == len(index) for _, index, _ in cases.values())
    _, index, rows = cases["some outside"]
    assert {-1, rows, 2**40, -(2**40)} <= set(index.tolist())
    assert bool(((index >= 0) & (index < rows)).any())


@pytest.mark.parametrize("case", [case for case in CASES if "whole" in case.name], ids=lambda case: case.name)
def test_no_row_of_whole_numbers_can_go_missing(case: Case) -> None:
    """Every number is odd, and sums are exact: without one row the result is wrong."""
    src, index, rows = drawn(case)
    last = int(((index >= 0) & (index < rows)).nonzero()[-1])
    lost = index.clone()
    lost[last] = -1
    assert bool((src.remainder(2) == 1).all())
    assert not allows(src, index, rows, scattered(src, lost, rows))


def test_an_index_cut_to_32_bits_is_not_allowed() -> None:
    """2^40 is outside, and its lower half is row 0."""
    case = next(case for case in CASES if case.name == "some outside")
    src, index, rows = drawn(case)
    assert not allows(src, index, rows, scattered(src, index.int().long(), rows))
