"""Sums of consecutive rows, in segments of any length.

Out of scope: no segments, no columns, autograd, offsets that decrease or leave `values`, and more segments
than the y of a grid can count: a block for each would take minutes on the simulator.
"""

from __future__ import annotations

from typing import Any

import torch

from grader.checks import Build, Close, DataRace, Device, Inputs, Launch, Memory, Policy, Rejects, StreamRace
from grader.checks.rejects import of_dimensions, of_dtype, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise, bound_of_sums, laid_out, odd_numbers

_WHOLE = "whole numbers"


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    """Return `[n, d]` and `[s + 1]` for a case of the shape `(n, d, s)`."""
    n, d, s = case.shape
    values = draw.normal((n, d), dtype=case.dtype)
    if case.name.startswith(_WHOLE):
        values = odd_numbers(values)
    offsets = torch.tensor([0, *_cuts(case.name, n, s, draw), n])
    return laid_out(values, case.layout_of(0)), laid_out(offsets, case.layout_of(1))


def _cuts(name: str, n: int, s: int, draw: Draw) -> list[int]:
    """Return where segments 1 to s - 1 begin: anywhere, or so that one segment is what the name says."""
    if "one giant" in name:
        first = draw.integer(0, s - 1)
        return [0] * first + [n] * (s - 1 - first)
    if "one each" in name:
        return list(range(1, s))
    return sorted(draw.integer(0, n) for _ in range(s - 1))


def _segments(offsets: torch.Tensor) -> torch.Tensor:
    """Return the segment of each row."""
    return torch.repeat_interleave(torch.arange(len(offsets) - 1), offsets.diff())


def _reference(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    return values.new_zeros(len(offsets) - 1, values.shape[1]).index_add_(0, _segments(offsets), values)


def _magnitude(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    fractions = _reference((values != values.round()).double(), offsets)
    return bound_of_sums(_reference(values.abs(), offsets), offsets.diff()[:, None], fractions)


EXERCISE = Exercise(
    id="segment_sum",
    lesson="07_irregular_and_novel",
    points=12,
    answer=Cuda("segment_sum", "torch::Tensor segment_sum(torch::Tensor values, torch::Tensor offsets)"),
    parameters=("values", "offsets"),
    inputs=_inputs,
    reference=_reference,
    magnitude=_magnitude,
    ulps=1.0,
    cases=(
        Case("one", (1, 1, 1)),
        Case("one segment", (301, 3, 1)),
        Case("one column", (1025, 1, 40)),
        Case("one each", (300, 5, 300)),
        Case("many columns", (9, 1025, 4)),
        Case("a warp of columns and one", (200, 33, 17)),
        Case("few values, many segments", (40, 3, 600)),
        Case("short segments behind many rows", (20_011, 1, 1999)),
        Case("66,000 rows in one giant segment", (66_000, 1, 5)),
        Case(f"{_WHOLE}, one giant segment", (70_001, 1, 9)),
        Case(f"{_WHOLE}, one giant segment of several columns", (4099, 3, 120)),
        Case(f"{_WHOLE}", (2047, 3, 64)),
        Case("drawn", (-1, -1, -1)),
        Case("no values", (0, 3, 7)),
        Case("transposed", (64, 33, 10), "transposed,dense"),
        Case("offset", (51, 13, 11), "offset"),
        Case("every second", (43, 9, 12), "strided"),
        Case("every second offset", (83, 5, 21), "dense,strided"),
        Case("window", (47, 15, 8), "window,dense"),
        Case("expanded", (29, 21, 6), "expanded,dense"),
    ),
    checks=(
        Build(),
        Close(5),
        Rejects(
            1,
            (
                on_cpu(0, "values"),
                on_cpu(1, "offsets"),
                of_dtype(0, "values", torch.float64),
                of_dtype(0, "values", torch.float16),
                of_dtype(1, "offsets", torch.int32),
                of_dimensions(0, "values", (12,)),
                of_dimensions(0, "values", (4, 3, 2)),
                of_dimensions(1, "offsets", (1, 1)),
            ),
            Case("refused", (6, 4, 3)),
        ),
        Inputs(1),
        StreamRace(1, Case("streams", (203, 5, 31))),
        Device(1, Case("second device", (101, 5, 13))),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0, Case("who adds", (129, 6, 20))),
    ),
    hints=(
        "Every element of the result is the sum of one column of one segment. Which rows are these for "
        "segment i, and what is left to do when offsets[i] equals offsets[i + 1]?",
        "One thread for each element of the result is right, and slow where one segment is long: what would "
        "a whole block do with the rows of one segment, and how do its threads bring their sums together? "
        "Lesson 04 adds up a block.",
        "k = blockIdx.x * blockDim.x + threadIdx.x; where k < segments * d, let segment = k / d and "
        "column = k % d, begin a float sum at 0, add values[row * d + column] for each row from "
        "offsets[segment] up to, not including, offsets[segment + 1], and store it in out[k].",
    ),
)
