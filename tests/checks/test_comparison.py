"""Comparison with the reference: tight enough to see a narrower type, and never fooled by NaN."""

from __future__ import annotations

import pytest
import torch

from grader.checks.comparison import compare, form
from grader.exercise import half_the_additions
from grader.judge.observation import OutputSeen

EXACT = torch.linspace(-3, 5, 1001, dtype=torch.float64) * 1.1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_rounding_is_close(dtype: torch.dtype) -> None:
    """The reference rounded to the result's type is close."""
    assert compare(EXACT.to(dtype), EXACT, dtype, 4) is None


@pytest.mark.parametrize("narrow", [torch.float16, torch.bfloat16])
def test_narrower_type_is_not_close(narrow: torch.dtype) -> None:
    """Computing in half precision is seen in a float32 result."""
    difference = compare(EXACT.to(narrow).float(), EXACT, torch.float32, 4)
    assert difference is not None
    assert difference.relative > 1e-4


def test_float_computation_is_not_close_in_double() -> None:
    """Computing in float is seen in a float64 result."""
    assert compare(EXACT.float().double(), EXACT, torch.float64, 4) is not None


def test_nan_is_no_wildcard() -> None:
    """NaN where a number was expected is wrong, and is counted."""
    values = EXACT.float()
    values[7] = float("nan")
    difference = compare(values, EXACT, torch.float32, 4)
    assert difference is not None
    assert (difference.wrong, difference.nan, difference.first) == (1, 1, (7,))


def test_number_where_nan_expected_is_wrong() -> None:
    """A number where NaN was expected is wrong too."""
    expected = EXACT.clone()
    expected[3] = float("nan")
    assert compare(EXACT.float(), expected, torch.float32, 4) is not None
    assert compare(expected.float(), expected, torch.float32, 4) is None


def test_infinity_equals_only_itself() -> None:
    """Infinity is not close to anything else, however large the expected value's tolerance."""
    expected = torch.tensor([float("inf"), 1.0], dtype=torch.float64)
    assert compare(expected.float(), expected, torch.float32, 4) is None
    assert compare(torch.tensor([1.0, 1.0]), expected, torch.float32, 4) is not None
    assert compare(torch.tensor([float("-inf"), 1.0]), expected, torch.float32, 4) is not None
    assert compare(torch.tensor([float("inf"), float("inf")]), expected, torch.float32, 4) is not None


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (OutputSeen(None, "sim:0", ()), "could not be read"),
        (OutputSeen(torch.zeros(3, dtype=torch.float64), "sim:0", ()), "dtype float64 instead of float32"),
        (OutputSeen(torch.zeros(4), "sim:0", ()), "shape (4,) instead of (3,)"),
        (OutputSeen(torch.zeros(3), "cpu", ()), "on cpu instead of sim:0"),
    ],
)
def test_form_is_named(output: OutputSeen, said: str) -> None:
    """A result of the wrong type, shape or device is said to be so."""
    assert said in str(form(output, torch.zeros(3, dtype=torch.float64), torch.float32, "sim:0"))


@pytest.mark.parametrize("backwards", [False, True])
def test_every_order_of_adding_is_close(backwards: bool) -> None:
    """A float32 running sum, whose error is the largest of all orders, is within a sum's own tolerance."""
    values = torch.linspace(0.1, 1.0, 4099).flip(0) if backwards else torch.linspace(0.1, 1.0, 4099)
    running = torch.zeros(1)
    for value in values:
        running = running + value
    wide = values.double().sum().reshape(1)
    magnitude = half_the_additions(len(values)) * values.double().abs().sum().reshape(1)
    assert compare(running, wide, torch.float32, 1, magnitude) is None


def test_sum_that_cancels_is_measured_by_its_terms() -> None:
    """A small sum of terms that cancel has their rounding errors; a lost term still shows."""
    values = torch.tensor([1000.0, -1000.0, 0.25, 1e-3])
    wide, total = values.double().sum().reshape(1), values.double().abs().sum().reshape(1)
    magnitude = half_the_additions(4) * total
    assert compare(wide.float() + 1e-4, wide, torch.float32, 4) is not None
    assert compare(wide.float() + 1e-4, wide, torch.float32, 1, magnitude) is None
    assert compare(wide.float() + 1e-3, wide, torch.float32, 1, magnitude) is not None
