"""Squared distances of all pairs of rows.  Out of scope: other dtypes, no elements, autograd, speed."""

from __future__ import annotations

from typing import Any

import torch

from grader.checks import Build, Close, DataRace, Device, Inputs, Launch, Memory, Policy, Rejects, StreamRace
from grader.checks.rejects import all_of_dtype, of_dimensions, of_dtype, of_shape, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise, half_the_additions, laid_out

_FAR = 1000.0
"""How far from the origin points lie in the cases where only differences of coordinates keep their digits."""


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    """Return `[n, d]` and `[m, d]` for a case of the shape `(n, m, d)`."""
    n, m, d = case.shape
    x = draw.normal((n, d), dtype=case.dtype)
    y = draw.normal((m, d), dtype=case.dtype)
    if case.name.startswith("far"):
        x, y = x + _FAR, y + _FAR
    if case.name.startswith("the same points"):
        y = x.clone()
    return laid_out(x, case.layout_of(0)), laid_out(y, case.layout_of(1))


def _reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (x[:, None, :] - y[None, :, :]).square().sum(-1)


def _magnitude(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Every term is positive, so the sum bounds itself; a term is rounded thrice before it is added."""
    return half_the_additions(x.shape[1] + 3) * _reference(x, y)


EXERCISE = Exercise(
    id="pairwise_sqdist",
    lesson="03_accessors",
    points=12,
    answer=Cuda("pairwise_sqdist", "torch::Tensor pairwise_sqdist(torch::Tensor x, torch::Tensor y)"),
    parameters=("x", "y"),
    inputs=_inputs,
    reference=_reference,
    magnitude=_magnitude,
    ulps=2.0,
    cases=(
        Case("one", (1, 1, 1)),
        Case("one row of x", (1, 1025, 3)),
        Case("one row of y", (1023, 1, 2)),
        Case("one coordinate", (33, 65, 1)),
        Case("many coordinates", (3, 2, 129)),
        Case("full blocks", (32, 32, 4)),
        Case("a block and one", (17, 33, 5)),
        Case("drawn", (-1, -1, -1)),
        Case("drawn, float64", (-1, -1, -1), dtype=torch.float64),
        Case("65,536 rows of x", (65_536, 1, 2)),
        Case("70,000 rows of y", (1, 70_000, 2)),
        Case("1,025 rows of x", (1025, 64, 2), dtype=torch.float64),
        Case("far from the origin", (19, 23, 6)),
        Case("far from the origin, float64", (19, 23, 6), dtype=torch.float64),
        Case("the same points", (37, 37, 7)),
        Case("transposed", (41, 13, 11), "transposed"),
        Case("one transposed", (12, 35, 9), "dense,transposed"),
        Case("one transposed, float64", (12, 35, 9), "transposed,dense", torch.float64),
        Case("offset", (21, 22, 3), "offset"),
        Case("every second", (14, 15, 8), "strided,window"),
        Case("window", (16, 31, 10), "window,strided", torch.float64),
        Case("expanded", (18, 27, 5), "expanded,dense"),
    ),
    checks=(
        Build(),
        Close(5),
        Rejects(
            1,
            (
                on_cpu(0, "x"),
                on_cpu(1, "y"),
                of_dtype(1, "y", torch.float64),
                of_dtype(0, "x", torch.float64),
                all_of_dtype("x and y", torch.int64),
                of_shape(1, "y", "with one coordinate less", lambda y: y[:, :-1]),
                of_shape(0, "x", "with one coordinate", lambda x: x[:, :1]),
                of_dimensions(0, "x", (12,)),
                of_dimensions(1, "y", (4, 3, 2)),
            ),
            Case("refused", (6, 4, 3)),
        ),
        Inputs(1),
        StreamRace(1, Case("streams", (31, 29, 5))),
        Device(1, Case("second device", (23, 17, 3))),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0, Case("who computes", (19, 21, 4))),
    ),
    hints=(
        "The result has n times m elements: one thread each. Which two numbers does a thread need to know, "
        "and how do blockIdx and threadIdx of two dimensions give them?",
        "An accessor's type names the element type and the number of dimensions. Where does scalar_t come "
        "from here, and what do you read so that nothing depends on the strides?",
        "threads(32, 8), blocks((n + 7) / 8, (m + 31) / 32): row = blockIdx.x * blockDim.y + threadIdx.y and "
        "column = blockIdx.y * blockDim.x + threadIdx.x. Where row < out.size(0) and column < out.size(1): "
        "for each k, scalar_t d = x[row][k] - y[column][k]; sum += d * d. Neighbouring threads then write "
        "neighbours, and the grid's y has room for 65,535 * 32 columns.",
    ),
)
