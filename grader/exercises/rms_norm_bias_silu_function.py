"""The fused norm with gradients for x, weight and bias.  Out of scope: double backward, 16 bits."""

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
from grader.exercise import Case, CudaAndPython, Exercise
from grader.exercises.rms_norm_bias_silu import (
    REFUSED,
    SIGNATURE,
    inputs,
    magnitude,
    reference,
    statistics_error,
)


def _magnitudes(arguments: tuple[Any, ...], incoming: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    """Follow the error of silu's slope through a sum along rows and a sum along columns, in any order.

    silu's slope is at most 1.1 and changes by at most half as much as its argument does.
    """
    x, weight, bias, eps = arguments
    factor = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    normed, own = (x * factor).abs(), 2 + statistics_error(x)
    slope = incoming.abs() * (2 + 0.5 * (own * normed * weight.abs() + bias.abs()))
    rows, columns = (1 + size / 2 for size in x.shape)
    into_norm = slope * weight.abs()
    along_row = normed * (into_norm * normed).mean(-1, keepdim=True)
    return (
        factor * (own * into_norm + (columns + 3 * own) * along_row),
        (rows + own) * (slope * normed).sum(0),
        rows * slope.sum(0),
        None,
    )


_SMALL = Case("gradient", (3, 5), dtype=torch.float64)
_WARP = Case("more than a warp", (4, 70), dtype=torch.float64)
_BLOCK = Case("more than a block", (3, 1031), dtype=torch.float64)
_ROWS = Case("many rows", (301, 7), dtype=torch.float64)
_SITUATIONS = (
    Situation(_SMALL),
    Situation(_WARP),
    Situation(_BLOCK),
    Situation(_ROWS),
    Situation(replace(_WARP, layout="transposed,dense,dense")),
    Situation(replace(_WARP, layout="window,strided,offset")),
    Situation(_WARP, gradient="constant"),
    Situation(_WARP, gradient="transposed"),
    Situation(_WARP, gradient="expanded"),
    Situation(_BLOCK, gradient="strided"),
    Situation(_WARP, needed=(True, False, False, False)),
    Situation(_WARP, needed=(False, True, False, False)),
    Situation(_WARP, needed=(False, False, True, False)),
    Situation(_SMALL, calls=2),
    Situation(Case("float32 gradient", (5, 300))),
    Situation(Case("long rows of whole vectors", (2, 4096))),
)

EXERCISE = Exercise(
    id="rms_norm_bias_silu_function",
    lesson="06_fusion",
    points=15,
    answer=CudaAndPython(
        "rms_norm_bias_silu",
        SIGNATURE,
        "rms_norm_bias_silu",
        "rms_norm_bias_silu(x, weight, bias, eps)",
    ),
    parameters=("x", "weight", "bias", "eps"),
    inputs=inputs,
    reference=reference,
    ulps=2.0,
    magnitude=magnitude,
    cases=(
        Case("one", (1, 1)),
        Case("less than a warp", (3, 31)),
        Case("one row, a full block less one", (1, 1023)),
        Case("one row, a full block and one", (1, 1025)),
        Case("long rows", (17, 4099)),
        Case("many short rows", (517, 3)),
        Case("drawn", (-1, -1)),
        Case("float64", (5, 103), dtype=torch.float64),
        Case("drawn, float64", (-1, -1), dtype=torch.float64),
        Case("eps zero", (5, 130)),
        Case("large eps", (5, 130), dtype=torch.float64),
        Case("rows of zeros", (6, 67)),
        Case("transposed", (64, 33), "transposed,dense,dense"),
        Case("offset", (7, 43), "offset,dense,dense"),
        Case("window", (19, 37), "window,strided,offset", torch.float64),
        Case("expanded", (21, 29), "expanded,dense,dense"),
        Case("one weight for all columns", (21, 36), "dense,expanded,constant"),
    ),
    checks=(
        Build(),
        Close(4),
        Rejects(1, REFUSED),
        Inputs(1),
        Gradcheck(4, situations=_SITUATIONS, magnitudes=_magnitudes),
        StreamRace(1, Case("streams", (5, 67))),
        Device(1, Case("second device", (5, 67))),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0, Case("who computes", (5, 67)), backward=True),
    ),
    hints=(
        "Write g for the gradient that reaches silu's argument z. Then bias gets the sum of g over rows, and "
        "weight that of g * x * factor, also over rows. x[i, j] acts on its own result directly, and on its "
        "whole row through the factor: which sum does that need, and in which direction does it run?",
        "Two kernels. One block for each row: two sums along the row, of x * x and of g * weight * x, give "
        "the gradient of x. Threads of neighbouring columns going down the rows: the sums for weight and "
        "bias. The factor of a row is needed in both: keep it, in torch::empty({rows}).",
        "With n = x * factor, h = g * weight: grad_x = factor * (h - n * mean(h * n)). silu's slope is s * "
        "(1 + z * (1 - s)), s = 1 / (1 + exp(-z)). A block_sum that is called twice needs a __syncthreads() "
        "before it writes its shared array again. Backward returns grad_x, grad_weight, grad_bias, None.",
    ),
)
