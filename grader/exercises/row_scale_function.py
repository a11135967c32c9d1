"""`x[i, j] * s[i]` with a gradient for both, one of which is a sum.  Out of scope: double backward, half."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from grader.checks import (
    Build,
    Close,
    DataRace,
    Device,
    Gradcheck,
    Inputs,
    Launch,
    Memory,
    Policy,
    Rejects,
    StreamRace,
)
from grader.checks.gradients import Situation
from grader.checks.rejects import all_of_dtype, of_dtype, of_shape, on_cpu
from grader.exercise import Case, CudaAndPython, Draw, Exercise, half_the_additions


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    x = draw.normal(case.shape, layout=case.layout_of(0), dtype=case.dtype)
    return x, draw.normal(case.shape[:1], layout=case.layout_of(1), dtype=case.dtype)


def _magnitudes(arguments: tuple[Any, ...], incoming: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    """The gradient of x is a product; that of s is a sum of products along a row, in any order."""
    x, _ = arguments
    return None, half_the_additions(x.shape[1] + 1) * (incoming * x).abs().sum(1)


_SMALL = Case("gradient", (3, 5), dtype=torch.float64)
_WARP = Case("more than a warp", (4, 70), dtype=torch.float64)
_BLOCK = Case("more than a block", (3, 1031), dtype=torch.float64)
_ROWS = Case("many rows", (301, 7), dtype=torch.float64)
_SITUATIONS = (
    Situation(_SMALL),
    Situation(_WARP),
    Situation(_BLOCK),
    Situation(_ROWS),
    Situation(replace(_WARP, layout="transposed,dense")),
    Situation(replace(_WARP, layout="window,strided")),
    Situation(_WARP, gradient="constant"),
    Situation(_WARP, gradient="transposed"),
    Situation(_WARP, gradient="expanded"),
    Situation(_BLOCK, gradient="strided"),
    Situation(_WARP, needed=(True, False)),
    Situation(_WARP, needed=(False, True)),
    Situation(_SMALL, calls=2),
    Situation(Case("float32 gradient", (5, 300))),
)

EXERCISE = Exercise(
    id="row_scale_function",
    lesson="04_autograd",
    points=15,
    answer=CudaAndPython(
        "row_scale",
        "torch::Tensor row_scale(torch::Tensor x, torch::Tensor s)",
        "row_scale",
        "row_scale(x, s)",
    ),
    parameters=("x", "s"),
    inputs=_inputs,
    reference=lambda x, s: x * s[:, None],
    ulps=1.0,
    cases=(
        Case("one", (1, 1)),
        Case("one row, a full block less one", (1, 1023)),
        Case("one row, a full block and one", (1, 1025)),
        Case("one long row", (1, 65_537)),
        Case("many rows", (65_537, 1)),
        Case("many blocks", (70, 1024)),
        Case("drawn", (-1, -1)),
        Case("float64", (5, 103), dtype=torch.float64),
        Case("float64, drawn", (-1, -1), dtype=torch.float64),
        Case("transposed", (64, 33), "transposed,dense"),
        Case("float64, transposed", (33, 70), "transposed,strided", torch.float64),
        Case("offset", (7, 43), "offset"),
        Case("every second", (41, 23), "strided"),
        Case("window", (19, 37), "window,offset"),
        Case("expanded", (21, 29), "expanded,dense"),
        Case("one factor for all rows", (21, 29), "dense,expanded"),
    ),
    checks=(
        Build(),
        Close(4),
        Rejects(
            1,
            (
                on_cpu(0, "x"),
                on_cpu(1, "s"),
                of_shape(1, "s", "one element short", lambda s: s[:-1]),
                of_shape(1, "s", "of one element", lambda s: s[:1]),
                of_shape(1, "s", "of two dimensions", lambda s: s[:, None]),
                of_shape(0, "x", "of three dimensions", lambda x: x.reshape(6, 2, 2)),
                of_dtype(1, "s", torch.float64),
                all_of_dtype("x and s", torch.int32),
            ),
        ),
        Inputs(1),
        Gradcheck(4, situations=_SITUATIONS, magnitudes=_magnitudes),
        StreamRace(1, Case("streams", (33, 31))),
        Device(1, Case("second device", (5, 103))),
        Memory(1),
        DataRace(1),
        Launch(1, backward=(Case("70,000 rows", (70_000, 1)), Case("70,000 columns", (1, 70_000)))),
        Policy(0, Case("who computes", (21, 37)), backward=True),
    ),
    hints=(
        "s[i] is used once for each column of row i. What does that make of its gradient, and how many "
        "threads want to add to the same place?",
        "Give each row of grad * x a block: each thread adds its columns, then the threads of the block add "
        "up what they have, through shared memory. Or start from zeros and use atomicAdd.",
        "backward: x, s = ctx.saved_tensors; grad_x = kernels.row_scale(grad, s) if ctx.needs_input_grad[0] "
        "else None; grad_s = kernels.row_dot(grad, x) if ctx.needs_input_grad[1] else None; return grad_x, "
        "grad_s. Both kernels take .contiguous() tensors.",
    ),
)
