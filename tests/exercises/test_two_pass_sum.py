"""What `two_pass_sum` draws, and how much rounding it allows."""

from __future__ import annotations

import pytest
import torch

from grader.checks.comparison import compare
from grader.exercise import Case, Draw
from grader.exercises import get

EXERCISE = get("two_pass_sum")
CASES = [case for case in EXERCISE.cases if -1 not in case.shape]


def drawn(case: Case) -> torch.Tensor:
    """Return the tensor of a case."""
    (x,) = EXERCISE.inputs(case, Draw(11, case.name))
    assert isinstance(x, torch.Tensor)
    return x


def allows(x: torch.Tensor, result: torch.Tensor) -> bool:
    """Whether the exercise accepts a result for `x`."""
    assert EXERCISE.magnitude is not None
    wide = x.double()
    expected, magnitude = EXERCISE.reference(wide), EXERCISE.magnitude(wide)
    return compare(result.float(), expected, torch.float32, EXERCISE.ulps, magnitude) is None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_plain_orders_of_adding_are_allowed(case: Case) -> None:
    """One float32 running sum, PyTorch's own and the exact sum are right for every case."""
    x = drawn(case)
    running = torch.zeros(())
    for value in x.reshape(-1)[:100_000]:
        running = running + value
    if x.numel() <= 100_000:
        assert allows(x, running)
    assert allows(x, x.sum())
    assert allows(x, x.double().sum())


@pytest.mark.parametrize("case", [case for case in CASES if "whole" in case.name], ids=lambda case: case.name)
def test_no_element_of_whole_numbers_can_go_missing(case: Case) -> None:
    """Every element is odd, and their sum is exact: without any one of them it is wrong."""
    x = drawn(case)
    assert bool((x.remainder(2) == 1).all())
    for lost in (x.reshape(-1)[0], x.reshape(-1)[-1], torch.tensor(1.0)):
        assert not allows(x, x.double().sum() - lost)


def test_partial_sums_of_half_precision_are_not_allowed() -> None:
    """Rounding the partial sums of 256 elements to half precision shows in whole numbers."""
    case = next(case for case in CASES if case.shape == (65_537,))
    partial = [chunk.sum().half().float() for chunk in drawn(case).split(256)]
    assert not allows(drawn(case), torch.stack(partial).sum())
