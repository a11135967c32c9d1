"""How much rounding the gradients of `row_scale_function` are allowed."""

from __future__ import annotations

import torch

from grader.checks.comparison import compare
from grader.checks.gradcheck import Gradcheck
from grader.exercises import get

EXERCISE = get("row_scale_function")
CHECK = next(check for check in EXERCISE.checks if isinstance(check, Gradcheck))


def allowed(columns: int, lost: int) -> bool:
    """Whether a float32 running sum over all but the `lost` last columns is accepted as the gradient of s."""
    generator = torch.Generator().manual_seed(7)
    x, grad = (torch.rand(1, columns, generator=generator) + 0.5 for _ in range(2))
    running = torch.zeros(())
    for product in (x * grad)[0, : columns - lost]:
        running = running + product
    assert CHECK.magnitudes is not None
    arguments = (x.double(), torch.ones(1, dtype=torch.float64))
    for_x, for_s = CHECK.magnitudes(arguments, grad.double())
    assert for_x is None
    expected = (x.double() * grad.double()).sum(1)
    return compare(running.reshape(1), expected, torch.float32, EXERCISE.ulps, for_s) is None


def test_running_sum_is_allowed_and_a_lost_column_is_not() -> None:
    """The worst order of adding passes at every size that is drawn; one column less fails."""
    for columns in (1, 70, 300, 1031):
        assert allowed(columns, lost=0)
        assert not allowed(columns, lost=1)


def test_gradients_are_judged_beyond_a_warp_a_block_and_a_grid_row() -> None:
    """A sum of one warp, of one block, or of one row only is seen."""
    shapes = {situation.case.shape for situation in CHECK.situations}
    assert any(32 < columns < 256 for _, columns in shapes)
    assert any(columns > 1024 for _, columns in shapes)
    assert any(rows > 256 for rows, _ in shapes)
    assert {situation.needed for situation in CHECK.situations} >= {(True, False), (False, True)}
    assert any(situation.calls == 2 for situation in CHECK.situations)
