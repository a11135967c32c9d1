"""Every declaration holds together, whatever the exercise."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.checks.base import tensors
from grader.exercise import LAYOUTS, Case, Draw, Exercise, Python
from grader.exercises import ORDER, UnknownExerciseError, all_exercises, get

EXERCISES = all_exercises()
every = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
COMPILED = tuple(exercise for exercise in EXERCISES if exercise.answer.needs_cuda)
compiled = pytest.mark.parametrize("exercise", COMPILED, ids=lambda exercise: exercise.id)
PYTHON = tuple(exercise for exercise in EXERCISES if isinstance(exercise.answer, Python))
python_alone = pytest.mark.parametrize("exercise", PYTHON, ids=lambda exercise: exercise.id)

GIVEN = ("side_stream_scale",)
"""Exercises that begin with code whose values are right already: what is learned there weighs most."""


def test_registry_has_course_order() -> None:
    """Exercises stand in the order of their lessons."""
    lessons = [exercise.lesson for exercise in EXERCISES]
    assert lessons == sorted(lessons)
    assert len(set(ORDER)) == len(ORDER)


@every
def test_module_and_id_agree(exercise: Exercise) -> None:
    """An exercise is found under its id, which is its module's name."""
    assert get(exercise.id) is exercise


@compiled
def test_checks_are_unique_and_begin_with_build(exercise: Exercise) -> None:
    """No check counts twice; `build` and `close` come first and `policy` last."""
    names = [check.name for check in exercise.checks]
    assert len(set(names)) == len(names)
    assert names[:2] == ["build", "close"]
    assert names[-1] == "policy"


@compiled
def test_values_weigh_most(exercise: Exercise) -> None:
    """No check is worth more than `close`, and refusals are not worth more than a silent fault."""
    points = {check.name: check.points for check in exercise.checks}
    if exercise.id not in GIVEN:
        assert points["close"] == max(points.values())
    assert points["rejects"] <= min(points[name] for name in ("inputs", "stream_race", "memory", "launch"))


@compiled
def test_inputs_follow_case_and_seed(exercise: Exercise) -> None:
    """Numbers have the sizes and type of the case; the same seed repeats all, another changes them."""
    for case in (case for case in exercise.cases if -1 not in case.shape):
        first, again, other = (_tensors(exercise, case, seed) for seed in (1, 1, 2))
        for tensor in first:
            if tensor.dtype is not torch.int64:
                assert set(tensor.shape) <= set(case.shape)
                assert tensor.dtype is case.dtype
        assert all(_same(a, b) for a, b in zip(first, again, strict=True))
        assert 0 in case.shape or not all(_same(a, b) for a, b in zip(first, other, strict=True))


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def _tensors(exercise: Exercise, case: Case, seed: int) -> list[torch.Tensor]:
    return tensors(exercise.inputs(case, Draw(seed, exercise.id, case.name)))


@python_alone
def test_python_alone_is_checked_for_values(exercise: Exercise) -> None:
    """Nothing is launched: loading and values are all there is, and each name has a signature."""
    assert [check.name for check in exercise.checks] == ["build", "close"]
    assert isinstance(exercise.answer, Python)
    assert all(name in exercise.answer.signature for name in exercise.answer.names)


def test_traffic_draws_whole_numbers_that_the_seed_decides() -> None:
    """Each case gives numel, itemsize and operations; zero operations and zero elements are among them."""
    exercise = get("traffic")
    drawn = [exercise.inputs(case, Draw(1, case.name)) for case in exercise.cases if -1 not in case.shape]
    assert all(type(number) is int for arguments in drawn for number in arguments)
    assert {0, 1} <= {numel for numel, _, _ in drawn}
    assert 0 in {operations for _, _, operations in drawn}
    case = exercise.cases[-2]
    assert len({exercise.inputs(case, Draw(seed, case.name)) for seed in range(8)}) > 1


def test_traffic_counts_each_tensor_of_each_kernel_once() -> None:
    """Eager, a + b and two more operations on ten floats move 3 + 2 + 2 tensors of 40 bytes; fused, 3."""
    assert get("traffic").reference(10, 4, 2) == {"eager_bytes": 280, "fused_bytes": 120}


@every
def test_cases_have_names_of_their_own(exercise: Exercise) -> None:
    """Messages name a case, and its name decides what is drawn: no two share one."""
    names = [case.name for case in exercise.cases]
    assert len(set(names)) == len(names)


@compiled
def test_cases_reach_past_a_block_and_a_grid_dimension(exercise: Exercise) -> None:
    """Sizes are one, within a block, past 65,535 and drawn, and some input is not dense."""
    sizes = [int(torch.tensor(case.shape).prod()) for case in exercise.cases if -1 not in case.shape]
    assert 1 in sizes
    assert any(size > 65_535 for size in sizes)
    assert any(256 < size < 1024 or size == 1025 for size in sizes)
    assert any(-1 in case.shape for case in exercise.cases)
    assert any(case.layout != "dense" for case in exercise.cases)


@every
def test_parameters_name_every_argument(exercise: Exercise) -> None:
    """Messages can name each argument, by the name in the signature."""
    case = next(case for case in exercise.cases if -1 not in case.shape)
    assert len(exercise.inputs(case, Draw(0))) == len(exercise.parameters)
    assert all(name in exercise.answer.signature for name in exercise.parameters)


@every
def test_hints_are_there(exercise: Exercise) -> None:
    """There are hints, each a sentence or question."""
    assert exercise.hints
    assert all(hint.strip() == hint and hint for hint in exercise.hints)


def test_unknown_exercise_names_the_nearest() -> None:
    """A misspelt id is answered with the id that was meant, without quotes around the message."""
    with pytest.raises(UnknownExerciseError) as caught:
        get("add_rleu")
    assert "Did you mean add_relu" in str(caught.value)
    assert not str(caught.value).startswith(("'", '"'))


def test_points_must_add_up() -> None:
    """A declaration whose points differ from its checks' is refused."""
    fields: dict[str, Any] = {
        name: getattr(COMPILED[0], name) for name in ("id", "lesson", "answer", "inputs")
    }
    with pytest.raises(ValueError, match="points=99"):
        Exercise(**fields, points=99, reference=abs, cases=(), checks=COMPILED[0].checks)


@pytest.mark.parametrize("layout", sorted(set(LAYOUTS) - {"dense", "expanded", "constant"}))
def test_layouts_keep_values(layout: str) -> None:
    """A layout changes where elements lie and not what they are."""
    values = torch.randn(2, 3, 4, 6)
    assert torch.equal(LAYOUTS[layout](values), values)


@pytest.mark.parametrize("layout", ["offset", "strided", "window"])
def test_padding_is_nan(layout: str) -> None:
    """What lies beside a view in its storage is NaN, so that reading it shows."""
    storage = LAYOUTS[layout](torch.randn(4, 6)).untyped_storage()
    flat = torch.empty(0).set_(storage)
    assert int(flat.isnan().sum()) == flat.numel() - 24
