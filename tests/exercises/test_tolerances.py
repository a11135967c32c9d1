"""How far a result may be from the reference: every honest way to compute it fits, no narrower type does.

`docs/tolerances.md` says the same in prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.checks.comparison import is_close
from grader.exercise import Case, Draw, Exercise, Python
from grader.exercises import all_exercises, get

DOCUMENT = Path(__file__).parents[2] / "docs/tolerances.md"
COMPUTED = [one for one in all_exercises() if not isinstance(one.answer, Python)]
EPS = 2.0**-23


def sized(case: Case) -> Case:
    """Give a case whose sizes are drawn sizes of its own."""
    return Case(case.name, tuple(29 if n < 0 else n for n in case.shape), case.layout, case.dtype)


def arguments(exercise: Exercise, case: Case) -> tuple[Any, ...]:
    """Draw the arguments of a case."""
    return exercise.inputs(case, Draw(5, case.name))


def cast(value: Any, dtype: torch.dtype) -> Any:
    """Give floating tensors another type, lists of them included."""
    if isinstance(value, (list, tuple)):
        return [cast(one, dtype) for one in value]
    is_floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.to(dtype) if is_floating else value


def parts(result: Any) -> list[torch.Tensor]:
    """Return one tensor or several as a list of float64."""
    return [one.double() for one in (result if isinstance(result, tuple) else (result,))]


def allowed(exercise: Exercise, given: Sequence[Any], result: Any, dtype: torch.dtype) -> bool:
    """Whether the exercise accepts a result of the arguments."""
    wide = [cast(value, torch.float64) for value in given]
    expected = parts(exercise.reference(*wide))
    measures = parts(exercise.magnitude(*wide)) if exercise.magnitude else expected
    return all(
        bool(is_close(got, want, dtype, exercise.ulps, measure).all())
        for got, want, measure in zip(parts(result), expected, measures, strict=True)
    )


def float32_cases(exercise: Exercise) -> list[Case]:
    """Return the cases of float32."""
    return [sized(case) for case in exercise.cases if case.dtype is torch.float32]


@pytest.mark.parametrize("exercise", COMPUTED, ids=lambda one: one.id)
def test_half_precision_inside_is_not_allowed(exercise: Exercise) -> None:
    """An answer that computes a float32 exercise in half precision is wrong, and in many of its cases."""
    cases = [case for case in float32_cases(exercise) if 100 < torch.Size(case.shape).numel() < 40_000]
    for kind in (torch.float16, torch.bfloat16):
        wrong = [
            not allowed(exercise, given, exercise.reference(*cast(given, kind)), torch.float32)
            for given in (arguments(exercise, case) for case in cases)
        ]
        assert sum(wrong) > len(cases) / 3 > 0


@pytest.mark.parametrize("exercise", COMPUTED, ids=lambda one: one.id)
def test_float32_throughout_is_allowed(exercise: Exercise) -> None:
    """The reference's own formula, computed by PyTorch in float32 and in its order of adding, is right."""
    for case in float32_cases(exercise):
        given = arguments(exercise, case)
        if exercise.id == "quantize_rowwise":
            result = exercise.reference(*cast(given, torch.float64))
            result = tuple(one.float() for one in result)
        else:
            result = exercise.reference(*given)
        assert allowed(exercise, given, result, torch.float32), case.name


def running(terms: torch.Tensor) -> torch.Tensor:
    """Add along the last dimension one after another in float32."""
    total = torch.zeros(terms.shape[:-1])
    for k in range(terms.shape[-1]):
        total = total + terms[..., k]
    return total


def fused(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Add products along the last dimension with one rounding a step, as fma does."""
    total = torch.zeros(a.shape[:-1])
    for k in range(a.shape[-1]):
        total = (total.double() + a[..., k].double() * b[..., k].double()).float()
    return total


def halved(terms: torch.Tensor) -> torch.Tensor:
    """Add along the last dimension as a tree does, in float32."""
    while terms.shape[-1] > 1:
        if terms.shape[-1] % 2:
            terms = torch.nn.functional.pad(terms, (0, 1))
        terms = terms[..., ::2] + terms[..., 1::2]
    return terms[..., 0]


ORDERS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "one after another": lambda a, b: running(a * b),
    "from the end": lambda a, b: running((a * b).flip(-1)),
    "as a tree": lambda a, b: halved(a * b),
    "with fma": fused,
}


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_of_adding_squares_is_allowed(order: str) -> None:
    """`pairwise_sqdist`: sums in float32 in any order, with and without fma."""
    exercise = get("pairwise_sqdist")
    for case in float32_cases(exercise):
        x, y = arguments(exercise, case)
        if x.shape[0] * y.shape[0] > 5000:
            continue
        difference = x[:, None, :] - y[None, :, :]
        assert allowed(exercise, (x, y), ORDERS[order](difference, difference), torch.float32), case.name


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_every_way_to_the_norm_is_allowed(order: str, off: int) -> None:
    """`rms_norm_bias_silu`: any order of adding, fma, and intrinsics as they are without fast-math.

    By CUDA's documentation `rsqrtf` and `expf` are off by up to 2 last places; here both on the same side.
    """
    exercise = get("rms_norm_bias_silu")
    for case in float32_cases(exercise):
        x, weight, bias, eps = arguments(exercise, case)
        if x.numel() > 40_000:
            continue
        mean = ORDERS[order](x, x) / x.shape[-1]
        factor = torch.rsqrt(mean + eps) * (1 + 2 * off * EPS)
        z = x * factor[:, None] * weight + bias
        result = z / (1 + torch.exp(-z) * (1 + 2 * off * EPS))
        assert allowed(exercise, (x, weight, bias, eps), result, torch.float32), case.name


def test_the_document_names_every_exercise_with_its_tolerance() -> None:
    """A row says how many last places, and of what."""
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE))
    assert {name: float(ulps) for name, ulps in rows.items()} == {one.id: one.ulps for one in COMPUTED}
