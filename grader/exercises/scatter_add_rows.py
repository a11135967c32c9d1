"""Rows added where an index says, repeated ones together.  Out of scope: no columns, autograd."""

from __future__ import annotations

from typing import Any

import torch

from grader.checks import Build, Close, DataRace, Device, Inputs, Launch, Memory, Policy, Rejects, StreamRace
from grader.checks.rejects import Bad, of_dimensions, of_dtype, of_shape, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise, bound_of_sums, laid_out, odd_numbers

_WHOLE = "whole numbers"
_FAR = 2**40
"""An index that only 64 bits hold: cut to 32 bits it is 0."""


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    """Return `[n, d]`, `[n]` and the number of rows for a case of the shape `(n, d, rows)`."""
    n, d, rows = case.shape
    src = draw.normal((n, d), dtype=case.dtype)
    if case.name.startswith(_WHOLE):
        src = odd_numbers(src)
    index = torch.tensor(_places(case.name, n, rows, draw), dtype=torch.int64)
    return laid_out(src, case.layout_of(0)), laid_out(index, case.layout_of(1)), rows


def _places(name: str, n: int, rows: int, draw: Draw) -> list[int]:
    """Return where each row goes: anywhere, or as the name says."""
    if "all to one" in name:
        return [draw.integer(0, rows - 1)] * n
    if "each once" in name:
        first = draw.integer(0, rows - 1)
        return [(first + k) % rows for k in range(n)]
    places = [draw.integer(0, max(rows - 1, 0)) for _ in range(n)]
    if "outside" in name:
        outside = (-1, rows, rows + 3, -rows, _FAR, -_FAR)
        places[::3] = [outside[k % len(outside)] for k in range(len(places[::3]))]
    return places


def _reference(src: torch.Tensor, index: torch.Tensor, rows: int) -> torch.Tensor:
    inside = (index >= 0) & (index < rows)
    return src.new_zeros(rows, src.shape[1]).index_add_(0, index[inside], src[inside])


def _magnitude(src: torch.Tensor, index: torch.Tensor, rows: int) -> torch.Tensor:
    fractions = _reference((src != src.round()).double(), index, rows)
    terms = _reference(torch.ones_like(src), index, rows)
    return bound_of_sums(_reference(src.abs(), index, rows), terms, fractions)


EXERCISE = Exercise(
    id="scatter_add_rows",
    lesson="07_irregular_and_novel",
    points=12,
    answer=Cuda(
        "scatter_add_rows",
        "torch::Tensor scatter_add_rows(torch::Tensor src, torch::Tensor index, int64_t rows)",
    ),
    parameters=("src", "index", "rows"),
    inputs=_inputs,
    reference=_reference,
    magnitude=_magnitude,
    ulps=1.0,
    cases=(
        Case("one", (1, 1, 1)),
        Case("each once", (301, 3, 301)),
        Case("one column", (1025, 1, 40)),
        Case("less than a block", (31, 3, 5)),
        Case("more rows than are written", (60, 5, 1000)),
        Case("many columns", (19, 1025, 4)),
        Case("a warp of columns and one", (200, 33, 17)),
        Case("66,000 rows", (66_000, 1, 300)),
        Case("all to one", (4099, 2, 7)),
        Case(f"{_WHOLE}, all to one", (8191, 3, 5)),
        Case(f"{_WHOLE}, 66,000 rows", (66_000, 1, 11)),
        Case(f"{_WHOLE}, some outside", (2047, 3, 64)),
        Case("some outside", (97, 7, 30)),
        Case("drawn", (-1, -1, -1)),
        Case("nothing to add", (0, 3, 7)),
        Case("no rows, so all are outside", (20, 3, 0)),
        Case("transposed", (64, 33, 10), "transposed,dense"),
        Case("offset", (51, 13, 11), "offset"),
        Case("every second", (43, 9, 12), "strided"),
        Case("every second index", (83, 5, 21), "dense,strided"),
        Case("window", (47, 15, 8), "window,dense"),
        Case("expanded", (29, 21, 6), "expanded,dense"),
        Case("one index for all", (31, 4, 9), "dense,expanded"),
    ),
    checks=(
        Build(),
        Close(3),
        Rejects(
            1,
            (
                on_cpu(0, "src"),
                on_cpu(1, "index"),
                of_dtype(0, "src", torch.float64),
                of_dtype(0, "src", torch.float16),
                of_dtype(1, "index", torch.int32),
                of_dimensions(0, "src", (6,)),
                of_dimensions(0, "src", (6, 3, 2)),
                of_dimensions(1, "index", (6, 1)),
                of_shape(1, "index", "one element short", lambda index: index[:-1]),
                of_shape(1, "index", "of one element", lambda index: index[:1]),
                Bad("rows = -1", lambda given: (*given[:2], -1), "TORCH_CHECK(rows >= 0, ...)"),
            ),
            Case("refused", (6, 4, 3)),
        ),
        Inputs(1),
        StreamRace(1, Case("streams", (203, 5, 31))),
        Device(1, Case("second device", (101, 5, 13))),
        Memory(1),
        DataRace(3),
        Launch(1),
        Policy(0, Case("who adds", (129, 6, 20))),
    ),
    hints=(
        "Let each element of src have a thread. Two of them may belong in the same place of the result: what "
        "does `out[i] += v` do in each of the two threads, step by step, and which step can come between?",
        "atomicAdd reads, adds and writes as one step. What must the result hold before the first addition, "
        "and which tensor function gives such memory? Which two comparisons tell that an index is inside?",
        "out = torch::zeros({rows, d}, src.options()), and no launch where src.numel() is 0. In the kernel: "
        "k < n * d, row = index[k / d]; if (row >= 0 && row < rows) "
        "atomicAdd(&out[row * d + k % d], src[k]). Keep row in int64_t.",
    ),
)
