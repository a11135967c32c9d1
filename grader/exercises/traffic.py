"""Bytes read and written by a chain of elementwise operations.  Out of scope: caches, broadcasting."""

from __future__ import annotations

from typing import Any

import torch

from grader.checks import Build, Values
from grader.exercise import Case, Draw, Exercise, Python

_NO_OPERATIONS = ("one element", "nothing follows", "no elements")


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    operations = 0 if case.name in _NO_OPERATIONS else draw.integer(2, 12)
    return case.shape[0], case.dtype.itemsize, 1 if case.name == "one follows" else operations


def _reference(numel: int, itemsize: int, unary_ops: int) -> dict[str, int]:
    """A kernel moves each of its tensors once: two in and one out for the sum, then one in and one out."""
    sum_alone = (2 + 1) * numel * itemsize
    return {
        "eager_bytes": sum_alone + unary_ops * (1 + 1) * numel * itemsize,
        "fused_bytes": sum_alone,
    }


EXERCISE = Exercise(
    id="traffic",
    lesson="01_why_an_extension",
    points=3,
    answer=Python(("eager_bytes(numel, itemsize, unary_ops)", "fused_bytes(numel, itemsize, unary_ops)")),
    parameters=("numel", "itemsize", "unary_ops"),
    inputs=_inputs,
    reference=_reference,
    cases=(
        Case("one element", (1,)),
        Case("nothing follows", (-1,)),
        Case("one follows", (-1,)),
        Case("drawn", (-1,)),
        Case("drawn, half precision", (-1,), dtype=torch.float16),
        Case("drawn, float64", (-1,), dtype=torch.float64),
        Case("drawn, bytes", (-1,), dtype=torch.uint8),
        Case("drawn, complex128", (-1,), dtype=torch.complex128),
        Case("2^24 elements", (1 << 24,)),
        Case("more bytes than an int32 counts", (3_000_000_019,), dtype=torch.bfloat16),
        Case("no elements", (0,)),
    ),
    checks=(
        Build(),
        Values(
            3,
            "Draw one box for each kernel, and an arrow for each tensor in and out of it: numel elements of "
            "itemsize bytes.",
        ),
    ),
    hints=(
        "How many tensors of numel elements does a + b read, and how many does it write? And relu(c)?",
        "With a kernel for each operation, every result goes to memory and the next kernel reads it back. "
        "In one kernel, where are the values between two operations?",
        "a + b moves three tensors and each unary operation two more. One kernel moves three, however many "
        "operations it holds. A tensor is numel * itemsize bytes.",
    ),
)
