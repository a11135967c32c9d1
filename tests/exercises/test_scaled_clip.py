"""What `scaled_clip` draws, and which gradients it accepts at the limits."""

from __future__ import annotations

import pytest
import torch

from grader.checks.gradcheck import Gradcheck
from grader.exercise import Case, Draw
from grader.exercises import get

EXERCISE = get("scaled_clip")
BESIDE = [case for case in EXERCISE.cases if case.name.startswith("at and beside")]
ELSEWHERE = [case for case in EXERCISE.cases if case not in BESIDE and -1 not in case.shape]


def gradients(x: torch.Tensor, scale: float, limit: float) -> list[torch.Tensor]:
    """Return the gradient of the sum by each reference."""
    check = next(check for check in EXERCISE.checks if isinstance(check, Gradcheck))
    found = []
    for reference in (EXERCISE.reference, *check.corners):
        leaf = x.double().requires_grad_()
        found.append(torch.autograd.grad(reference(leaf, scale, limit).sum(), leaf)[0])
    return found


@pytest.mark.parametrize("case", BESIDE, ids=lambda case: case.name)
def test_limits_are_met_exactly_and_missed_by_one_place(case: Case) -> None:
    """In the case's own type scale * x is the limit, the number below it and the number above it."""
    x, scale, limit = EXERCISE.inputs(case, Draw(2, case.name))
    product = x * scale
    edge = torch.tensor(limit, dtype=case.dtype)
    for wanted in (edge, torch.nextafter(edge, edge * 0), torch.nextafter(edge, edge * 2)):
        assert bool((product == wanted).any())
        assert bool((product == -wanted).any())


@pytest.mark.parametrize("case", BESIDE, ids=lambda case: case.name)
def test_references_differ_at_exactly_the_limit_only(case: Case) -> None:
    """At the limit PyTorch's gradient is the scale and the other one zero; beside it there is one answer."""
    x, scale, limit = EXERCISE.inputs(case, Draw(2, case.name))
    inside, outside = gradients(x, scale, limit)
    at = (x.double() * scale).abs() == limit
    assert bool((inside[at] == scale).all())
    assert bool((outside[at] == 0).all())
    assert torch.equal(inside[~at], outside[~at])


@pytest.mark.parametrize("case", ELSEWHERE, ids=lambda case: case.name)
def test_elsewhere_no_product_is_near_the_limit(case: Case) -> None:
    """Rounding to float32 cannot move a product across the limit."""
    x, scale, limit = EXERCISE.inputs(case, Draw(2, case.name))
    distance = ((x.double() * scale).abs() - limit).abs()
    assert float(distance.min()) > 1e-3
