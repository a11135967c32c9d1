"""What `stack_rows` draws."""

from __future__ import annotations

import torch

from grader.exercise import Draw
from grader.exercises import get

EXERCISE = get("stack_rows")


def test_every_case_draws_k_vectors_of_n() -> None:
    """A case's shape is the result's: k rows, each of n elements, and k may be one."""
    for case in (case for case in EXERCISE.cases if -1 not in case.shape):
        (rows,) = EXERCISE.inputs(case, Draw(3, case.name))
        assert EXERCISE.reference([row.double() for row in rows]).shape == case.shape


def test_rows_lie_in_memory_in_every_way() -> None:
    """Strides of 0, 1, 2 and a matrix's columns are drawn, and offsets: a raw copy is wrong on them."""
    strides, offsets = set(), set()
    for case in (case for case in EXERCISE.cases if -1 not in case.shape and case.shape[1] > 1):
        (rows,) = EXERCISE.inputs(case, Draw(3, case.name))
        strides |= {row.stride(0) for row in rows}
        offsets |= {row.storage_offset() for row in rows}
    assert {0, 1, 2, 9} <= strides
    assert {0, 7} <= offsets


def test_refused_rows_are_not_the_first() -> None:
    """Each refusal but that of an empty list leaves rows[0] as it was: checking one row is not enough."""
    check = next(check for check in EXERCISE.checks if check.name == "rejects")
    arguments = EXERCISE.inputs(check.case, Draw(3))  # type: ignore[attr-defined]
    for bad in check.bad:  # type: ignore[attr-defined]
        (rows,) = bad.change(arguments)
        assert not rows or torch.equal(rows[0], arguments[0][0])
        assert not rows or rows[1] is not arguments[0][1]
