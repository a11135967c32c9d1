"""What `quantize_rowwise` draws, and which roundings it allows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from grader.checks.comparison import compare
from grader.exercise import Case, Draw
from grader.exercises import get
from grader.judge.several import end_to_end

EXERCISE = get("quantize_rowwise")
CASES = [case for case in EXERCISE.cases if -1 not in case.shape]
TIES = [case for case in CASES if case.name.startswith("ties")]
Rounding = Callable[[torch.Tensor], torch.Tensor]
each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def drawn(case: Case) -> torch.Tensor:
    """Return the tensor of a case."""
    (x,) = EXERCISE.inputs(case, Draw(11, case.name))
    assert isinstance(x, torch.Tensor)
    return x


def quantized(x: torch.Tensor, rounding: Rounding = torch.round) -> tuple[torch.Tensor, torch.Tensor]:
    """Return q and scale in float32 arithmetic."""
    wide = x.float()
    scale = wide.abs().amax(1) / torch.tensor(127.0)
    return rounding(wide / scale[:, None]).nan_to_num(0.0), scale


def allows(x: torch.Tensor, q: torch.Tensor, scale: torch.Tensor) -> bool:
    """Whether the exercise accepts these results for `x`."""
    assert EXERCISE.magnitude is not None
    wide = x.double()
    expected, magnitude = (
        end_to_end(f(wide), torch.float64) for f in (EXERCISE.reference, EXERCISE.magnitude)
    )
    vector = end_to_end((q, scale), torch.float32)
    return compare(vector, expected, torch.float32, EXERCISE.ulps, magnitude) is None


@each
def test_the_scheme_itself_is_allowed(case: Case) -> None:
    """Float32 division and rounding half to even are right for every case, and q fits into int8."""
    x = drawn(case)
    q, scale = quantized(x)
    assert allows(x, q, scale)
    assert q.abs().max() <= 127
    assert torch.equal(q.to(torch.int8).float(), q)


@each
def test_division_in_double_is_allowed(case: Case) -> None:
    """Quotients that are not rounded to float32 first are right too."""
    x = drawn(case)
    _, scale = quantized(x)
    assert allows(x, (x.double() / scale.double()[:, None]).round().nan_to_num(0.0), scale)


@each
def test_one_off_is_not_allowed(case: Case) -> None:
    """No whole number may be two off, and hardly any may be one off."""
    x = drawn(case)
    q, scale = quantized(x)
    assert not allows(x, q + 2, scale)
    assert not allows(x, q + 1, scale)
    assert not allows(x, q, scale * (1 + 1e-6) + 1e-9)


@pytest.mark.parametrize("case", TIES, ids=lambda case: case.name)
def test_ties_are_decided(case: Case) -> None:
    """Half away from zero, half up and cutting off are wrong where ties are planted."""
    x = drawn(case)
    roundings: tuple[Rounding, ...] = (
        lambda v: v.sign() * (v.abs() + 0.5).floor(),
        lambda v: (v + 0.5).floor(),
        torch.trunc,
    )
    for rounding in roundings:
        assert not allows(x, *quantized(x, rounding))


def test_random_values_hardly_tell_roundings_apart() -> None:
    """Half away from zero passes some case without ties: that is what they are planted for."""
    x = drawn(next(case for case in CASES if case.name == "many rows"))
    assert allows(x, *quantized(x, lambda v: v.sign() * (v.abs() + 0.5).floor()))


@pytest.mark.parametrize("case", TIES, ids=lambda case: case.name)
def test_planted_ties_are_exact(case: Case) -> None:
    """Every element but the largest lies half way between whole numbers, in either type."""
    x = drawn(case).double()
    quotient = x / (x.abs().amax(1, keepdim=True) / 127)
    halves = (quotient - quotient.floor() == 0.5).sum(1)
    assert bool((halves == x.shape[1] - 1).all())
