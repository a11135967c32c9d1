"""Comparing two runs' gradients: as tight as rounding allows, and sums by what they add."""

from __future__ import annotations

import torch

from grader.checks.gradients import ONE_TENSOR, SITUATIONS, agree

ONE = torch.tensor([1.0, 2.0, 3.0])


def test_rounding_agrees_and_more_does_not() -> None:
    """A last place apart is rounding; a thousandth is not."""
    assert agree([ONE], [ONE * (1 + 1e-7)], [None], 4)
    assert not agree([ONE], [ONE * 1.001], [None], 4)


def test_nan_agrees_with_nothing() -> None:
    """A gradient that was never written must not pass for one that was."""
    assert not agree([ONE * float("nan")], [ONE * float("nan")], [None], 4)


def test_missing_gradient_agrees_with_a_missing_one_only() -> None:
    """None is a gradient that nobody needs, and not zero."""
    assert agree([None], [None], [None], 4)
    assert not agree([None], [ONE], [None], 4)
    assert not agree([ONE], [], [], 4)


def test_sum_agrees_by_the_size_of_its_terms() -> None:
    """A sum near zero has its terms' rounding errors."""
    small, other = torch.tensor([1e-6]), torch.tensor([1.5e-6])
    assert not agree([small], [other], [None], 4)
    assert agree([small], [other], [torch.tensor([10.0], dtype=torch.float64)], 4)


def test_situations_for_one_tensor_ask_for_one_gradient() -> None:
    """What asks for one of two gradients means nothing for a function of one tensor."""
    assert len(ONE_TENSOR) >= 8
    assert all(one.needed is None for one in ONE_TENSOR)
    assert any(one.needed for one in SITUATIONS)
