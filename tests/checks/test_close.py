"""What `close` says of values that differ: the numbers told apart, and advice that fits the case."""

from __future__ import annotations

import pytest
import torch

from grader.checks.close import describe
from grader.checks.comparison import Difference
from grader.exercise import Case


def said(
    case: Case, *, got: float = 1.0, expected: float = 2.0, relative: float = 0.5, wrong: int = 3
) -> str:
    """Return what is said of a difference in a case whose first argument is changed in place."""
    return describe(Difference(wrong, 8, (1,), (2,), got, expected, 0, relative), case, in_place=True)


def test_numbers_are_told_apart() -> None:
    """Two numbers that agree in seven digits are shown with as many as show the difference."""
    text = said(Case("double", (8,), dtype=torch.float64), got=61.261540001, expected=61.26154)
    assert "got 61.261540001, expected 61.26154" in text
    assert "got 1, expected 2" in said(Case("far apart", (8,)))


def test_a_sum_of_whole_numbers_is_not_rounded() -> None:
    """Where nothing is rounded, a small error is a number left out and no narrower type."""
    text = describe(
        Difference(1, 1, (), (), 1621248.0, 1621257.0, 0, 5.6e-6), Case("whole", (9,)), exact=True
    )
    assert "left out, or added twice" in text
    assert "digits" not in text


def test_one_value_is_wrong() -> None:
    """One value is, several are."""
    assert "1 of 8 values is wrong" in said(Case("one", (8,)), wrong=1)
    assert "3 of 8 values are wrong" in said(Case("three", (8,)))


@pytest.mark.parametrize(
    ("dtype", "relative", "advice"),
    [
        (torch.float32, 1e-3, "compute in float"),
        (torch.float32, 1e-6, "Only the last digits are wrong"),
        (torch.float64, 1e-7, "compute in double"),
        (torch.float64, 1e-14, "Only the last digits are wrong"),
        (torch.float32, 0.5, "[1]: got 1, expected 2."),
        (torch.float16, 1e-3, "[1]: got 1, expected 2."),
    ],
)
def test_the_size_of_an_error_says_where_it_comes_from(
    dtype: torch.dtype, relative: float, advice: str
) -> None:
    """A narrower type and lost digits are two things; a large error is neither."""
    text = said(Case("dense", (8,), dtype=dtype), relative=relative)
    assert advice in text
    assert ("digits" in text or "compute in" in text) == ("digits" in advice or "compute in" in advice)


@pytest.mark.parametrize(
    ("layout", "named", "advice"),
    [
        ("transposed", ", transposed)", "This view is not contiguous"),
        ("transposed,dense", ", inputs transposed, contiguous)", "This view is not contiguous"),
        ("dense,strided", ", inputs contiguous, strided)", "An argument is not contiguous"),
        ("offset", ", offset)", "begins in the middle"),
    ],
)
def test_advice_fits_the_layout(layout: str, named: str, advice: str) -> None:
    """What is said of a view is said of one that is not contiguous, and an argument is told from the view."""
    text = said(Case("laid out", (4, 2), layout))
    assert named in text
    assert advice in text
