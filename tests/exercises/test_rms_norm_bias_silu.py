"""The tolerance of the fused norm: right in any order of adding, too narrow for statistics in 16 bits."""

from __future__ import annotations

import pytest
import torch

from grader.checks.comparison import is_close
from grader.checks.gradients import magnitudes
from grader.exercise import Case, Draw
from grader.exercises import get
from grader.exercises.rms_norm_bias_silu import statistics_error

EXERCISE = get("rms_norm_bias_silu")
FUNCTION = get("rms_norm_bias_silu_function")
FLOATS = tuple(case for case in EXERCISE.cases if -1 not in case.shape)
every_case = pytest.mark.parametrize("case", FLOATS, ids=lambda case: case.name)


def computed(case: Case, seed: int, factors: torch.Tensor | None = None) -> bool:
    """Whether a result with these factors, or with squares added in sequence, is close enough."""
    x, weight, bias, eps = EXERCISE.inputs(case, Draw(seed, case.name))
    wide = torch.float64 if case.dtype is torch.float64 else torch.float32
    squares = x.to(wide).square().cumsum(-1)[:, -1:]
    own = torch.rsqrt(squares / x.shape[-1] + eps) if factors is None else factors.to(wide)
    z = x.to(wide) * own * weight.to(wide) + bias.to(wide)
    got = (z / (1 + torch.exp(-z))).to(case.dtype)
    arguments = (x.double(), weight.double(), bias.double(), eps)
    assert EXERCISE.magnitude is not None
    expected, measure = EXERCISE.reference(*arguments), EXERCISE.magnitude(*arguments)
    return bool(is_close(got.double(), expected, case.dtype, EXERCISE.ulps, measure).all())


@every_case
def test_sums_in_sequence_are_close_enough(case: Case) -> None:
    """The worst order of adding, one term after the other, passes in every case and for several seeds."""
    assert all(computed(case, seed) for seed in range(20))


def test_statistics_in_float16_are_not() -> None:
    """Squares of large halves overflow in float16, and the case for it tells."""
    case = next(case for case in EXERCISE.cases if case.name == "squares beyond float16")
    x, _, _, eps = EXERCISE.inputs(case, Draw(1, case.name))
    assert not computed(case, 1, torch.rsqrt(x.square().mean(-1, keepdim=True) + eps))


def test_statistics_of_doubles_in_float_are_not() -> None:
    """A factor rounded to float32 fails where x is float64."""
    case = next(case for case in EXERCISE.cases if case.name == "long rows, float64")
    x, _, _, eps = EXERCISE.inputs(case, Draw(1, case.name))
    assert not computed(case, 1, torch.rsqrt(x.float().square().mean(-1, keepdim=True) + eps))


def test_only_wide_types_are_given_room_for_the_sum() -> None:
    """Sums of values of 16 bits are kept in float32: their error is nothing to the result's last place."""
    x = torch.randn(2, 4099)
    assert statistics_error(x.half().double()) == statistics_error(x.bfloat16().double()) == 2.0
    assert statistics_error(x.double()) > 17.0


@pytest.mark.parametrize("shape", [(3, 5), (4, 70), (3, 1031), (301, 7)])
def test_gradients_in_float32_are_close_enough(shape: tuple[int, int]) -> None:
    """PyTorch's own gradients in float32 pass, and one without the sum along the row does not."""
    case = Case("float32 gradient", shape)
    for seed in range(5):
        x, weight, bias, eps = FUNCTION.inputs(case, Draw(seed))
        incoming = Draw(seed, "incoming").normal(shape)
        leaves = [value.clone().requires_grad_() for value in (x, weight, bias)]
        wide = [value.double().requires_grad_() for value in (x, weight, bias)]
        got = torch.autograd.grad(FUNCTION.reference(*leaves, eps), leaves, incoming)
        expected = torch.autograd.grad(FUNCTION.reference(*wide, eps), wide, incoming.double())
        flags = (True, True, True, False)
        measures = magnitudes(_Bench(), (x, weight, bias, eps), incoming, flags)  # type: ignore[arg-type]
        for one, other, measure in zip(got, expected, measures, strict=True):
            assert is_close(one.double(), other, torch.float32, FUNCTION.ulps, measure).all()
        factor = torch.rsqrt(wide[0].square().mean(-1, keepdim=True) + eps)
        z = wide[0] * factor.detach() * wide[1] + wide[2]
        (constant,) = torch.autograd.grad(torch.nn.functional.silu(z), wide[:1], incoming.double())
        assert not is_close(constant, expected[0], torch.float32, FUNCTION.ulps, measures[0]).all()


class _Bench:
    """As much of a bench as the magnitudes of gradients ask for."""

    exercise = FUNCTION
