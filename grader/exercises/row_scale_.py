"""`x[i, j] *= s[i]` where `x` stands.  Out of scope: other dtypes, no elements, overlapping memory."""

from __future__ import annotations

from typing import Any

import torch

from grader.checks import Build, Close, DataRace, Device, Inputs, Launch, Memory, Policy, Rejects, StreamRace
from grader.checks.rejects import of_dimensions, of_dtype, of_shape, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    x = draw.normal(case.shape, layout=case.layout_of(0), dtype=case.dtype)
    s = draw.normal(case.shape[:1], layout=case.layout_of(1), dtype=case.dtype)
    _give_neighbours(x, draw)
    return x, s


def _give_neighbours(x: torch.Tensor, draw: Draw) -> None:
    """Fill the storage around a view with numbers: NaN would hide a multiplication that reached it."""
    storage = torch.empty(0, dtype=x.dtype).set_(x.untyped_storage())
    foreign = storage.isnan()
    storage[foreign] = draw.normal((int(foreign.sum()),), dtype=x.dtype)


EXERCISE = Exercise(
    id="row_scale_",
    lesson="03_accessors",
    points=12,
    answer=Cuda("row_scale_", "void row_scale_(torch::Tensor x, torch::Tensor s)"),
    parameters=("x", "s"),
    in_place=0,
    inputs=_inputs,
    reference=lambda x, s: x * s[:, None],
    cases=(
        Case("one", (1, 1)),
        Case("one row", (1, 1025)),
        Case("one column", (1023, 1)),
        Case("square", (32, 32)),
        Case("a full block and one", (3, 1025)),
        Case("drawn", (-1, -1)),
        Case("65,535 rows", (65_535, 2)),
        Case("65,536 rows", (65_536, 1)),
        Case("70,000 rows", (70_000, 3)),
        Case("5,000 columns", (7, 5000)),
        Case("transposed", (64, 33), "transposed,dense"),
        Case("transposed, many rows", (1027, 5), "transposed,strided"),
        Case("offset", (17, 23), "offset"),
        Case("every second", (41, 23), "strided"),
        Case("window", (19, 37), "window,dense"),
        Case("drawn window", (-1, -1), "window,strided"),
        Case("one factor for all", (29, 31), "dense,constant"),
        Case("factors apart", (21, 18), "dense,strided"),
    ),
    checks=(
        Build(),
        Close(5),
        Rejects(
            1,
            (
                on_cpu(0, "x"),
                on_cpu(1, "s"),
                of_dtype(0, "x", torch.float64),
                of_dtype(1, "s", torch.float64),
                of_dtype(1, "s", torch.int32),
                of_shape(1, "s", "one element short", lambda s: s[:-1]),
                of_shape(1, "s", "one element long", lambda s: torch.cat((s, s[:1]))),
                of_shape(1, "s", "of one element", lambda s: s[:1]),
                of_dimensions(0, "x", (6,)),
                of_dimensions(0, "x", (6, 4, 2)),
                of_dimensions(1, "s", (6, 1)),
            ),
        ),
        Inputs(1),
        StreamRace(1, Case("streams", (31, 33))),
        Device(1, Case("second device", (23, 17))),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0, Case("who computes", (19, 41))),
    ),
    hints=(
        "x.contiguous() of a transposed tensor is a copy. Which tensor would your kernel change then? What "
        "does packed_accessor32 carry into the kernel that data_ptr leaves behind?",
        "Which thread has which row and column? gridDim.x may be 2,147,483,647, gridDim.y and gridDim.z "
        "65,535. Which of the two dimensions has up to 70,000?",
        "TORCH_CHECK device, dtype, x.dim() == 2, s.dim() == 1 and s.size(0) == x.size(0). Grid: dim3(rows, "
        "(columns + 255) / 256). In the kernel: row = blockIdx.x, column = blockIdx.y * blockDim.x + "
        "threadIdx.x, and if (row < x.size(0) && column < x.size(1)) x[row][column] *= s[row].",
    ),
)
