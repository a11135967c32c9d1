"""Root-mean-square norm, bias and SiLU of rows, in one kernel.  Out of scope: autograd, other dimensions."""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.checks import (
    Build,
    Close,
    DataRace,
    Device,
    Inputs,
    Launch,
    Memory,
    OneKernel,
    Policy,
    Rejects,
    StreamRace,
    Traffic,
)
from grader.checks.rejects import all_of_dtype, of_dimensions, of_dtype, of_shape, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise, laid_out

_SCALES = {"huge": 2.0**50, "tiny": 2.0**-50, "squares beyond float16": 150.0}
"""What x is multiplied by: its squares stay normal numbers in float32, and leave float16."""
_EPSILONS = {"eps zero": 0.0, "large eps": 3.5, "tiny": 2.0**-100, "squares beyond float16": 1e-5}


def inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    """Return x, one weight and one bias for each column, and eps."""
    x = draw.normal(case.shape, dtype=torch.float64) * _SCALES.get(case.name, 1.0)
    if case.name == "rows of zeros":
        x[::2] = 0.0
    columns = case.shape[-1:]
    weight = draw.normal(columns, layout=case.layout_of(1), dtype=case.dtype)
    bias = draw.normal(columns, layout=case.layout_of(2), dtype=case.dtype)
    eps = _EPSILONS.get(case.name, draw.uniform(1e-6, 1e-2))
    return laid_out(x.to(case.dtype), case.layout_of(0)), weight, bias, eps


def reference(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    """Return silu(x * rsqrt(mean(x^2) + eps) * weight + bias)."""
    normed = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return torch.nn.functional.silu(normed * weight + bias)


def _came_from_half(x: torch.Tensor) -> bool:
    """Whether the values were drawn in a type of 16 bits: statistics in float32 are then as good as exact."""
    return any(bool((x == x.to(kind).double()).all()) for kind in (torch.float16, torch.bfloat16))


def statistics_error(x: torch.Tensor) -> float:
    """Return by how many eps the factor of a row may be off.

    Adding n numbers of one sign is off by about sqrt(n) / 2 eps at most, whatever the order (Higham and Mary,
    A New Approach to Probabilistic Rounding Error Analysis, 2019, with lambda = 2 on half an eps each); the
    root halves that.  Division, root and two products round once each.
    """
    return 2.0 if _came_from_half(x) else 2.0 + math.sqrt(x.shape[-1]) / 4


def magnitude(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    """Return what an error is measured in: that of silu's argument times silu's slope, and silu's own.

    exp(-z) is off by |z| last places where z is rounded before it, which the sigmoid feels as 1 - sigmoid.
    """
    scaled = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight
    z = scaled + bias
    sigmoid = torch.sigmoid(z)
    slope = (sigmoid * (1 + z * (1 - sigmoid))).abs()
    argument = statistics_error(x) * scaled.abs() + bias.abs()
    return slope * argument + (z * sigmoid).abs() * (1 + (1 - sigmoid) * z.abs())


SIGNATURE = (
    "torch::Tensor rms_norm_bias_silu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps)"
)
REFUSED = (
    on_cpu(0, "x"),
    on_cpu(1, "weight"),
    on_cpu(2, "bias"),
    of_shape(1, "weight", "one element short", lambda weight: weight[:-1]),
    of_shape(2, "bias", "one element short", lambda bias: bias[:-1]),
    of_shape(1, "weight", "of one element", lambda weight: weight[:1]),
    of_dimensions(0, "x", (4,)),
    of_shape(0, "x", "of three dimensions", lambda x: x.reshape(3, 2, 4)),
    of_dtype(1, "weight", torch.float64),
    of_dtype(2, "bias", torch.float64),
    all_of_dtype("x, weight and bias", torch.int32),
)
"""What neither this exercise nor the one with gradients accepts."""

EXERCISE = Exercise(
    id="rms_norm_bias_silu",
    lesson="06_fusion",
    points=16,
    answer=Cuda(
        "rms_norm_bias_silu",
        SIGNATURE,
    ),
    parameters=("x", "weight", "bias", "eps"),
    inputs=inputs,
    reference=reference,
    ulps=2.0,
    magnitude=magnitude,
    cases=(
        Case("one", (1, 1)),
        Case("less than a warp", (3, 31)),
        Case("one warp", (5, 32), dtype=torch.float16),
        Case("a warp and one", (4, 33), dtype=torch.bfloat16),
        Case("one row, a full block less one", (1, 1023)),
        Case("one row, a full block", (1, 1024), dtype=torch.float16),
        Case("one row, a full block and one", (1, 1025), dtype=torch.float64),
        Case("long rows", (17, 4099)),
        Case("long rows, float16", (3, 4099), dtype=torch.float16),
        Case("long rows, bfloat16", (2, 4104), dtype=torch.bfloat16),
        Case("long rows, float64", (2, 4099), dtype=torch.float64),
        Case("many short rows", (517, 3)),
        Case("one column", (301, 1), dtype=torch.float64),
        Case("drawn", (-1, -1)),
        Case("drawn, float16", (-1, -1), dtype=torch.float16),
        Case("drawn, bfloat16", (-1, -1), dtype=torch.bfloat16),
        Case("drawn, float64", (-1, -1), dtype=torch.float64),
        Case("rows of zeros", (6, 67)),
        Case("huge", (3, 515)),
        Case("tiny", (3, 515)),
        Case("squares beyond float16", (3, 515), dtype=torch.float16),
        Case("eps zero", (5, 130)),
        Case("large eps", (5, 130), dtype=torch.float64),
        Case("transposed", (64, 33), "transposed,dense,dense"),
        Case("transposed, float16", (32, 64), "transposed,strided,dense", torch.float16),
        Case("offset", (7, 64), "offset,dense,dense"),
        Case("offset, float16", (8, 128), "offset,offset,offset", torch.float16),
        Case("every second", (41, 23), "strided,dense,strided"),
        Case("window", (19, 37), "window,strided,offset"),
        Case("window, bfloat16", (9, 64), "window,dense,dense", torch.bfloat16),
        Case("expanded", (21, 29), "expanded,dense,dense"),
        Case("one weight for all columns", (21, 36), "dense,expanded,constant"),
    ),
    checks=(
        Build(),
        Close(5),
        Rejects(1, REFUSED),
        Inputs(1),
        StreamRace(1, Case("streams", (5, 131))),
        Device(1, Case("second device", (5, 131))),
        Memory(1),
        DataRace(1),
        Launch(1),
        OneKernel(
            2,
            (
                Case("one pass", (37, 515)),
                Case("one pass, float16", (3, 4096), dtype=torch.float16),
                Case("one pass, float64", (2, 33), dtype=torch.float64),
            ),
        ),
        Traffic(2, (Case("bytes", (37, 515)), Case("bytes, float16", (5, 4096), dtype=torch.float16))),
        Policy(0, Case("who computes", (5, 131))),
    ),
    hints=(
        "A result needs the mean of its whole row. Which threads have to know of one another, and what can "
        "they share without a second kernel? Give each row to one block.",
        "Each thread adds the squares of its own columns, in float or wider. A warp adds up with "
        "__shfl_down_sync, warps through shared memory. Where does a barrier stand, and can every thread of "
        "the block reach it? Then each thread goes over its columns again.",
        "using acc_t = std::conditional_t<std::is_same_v<scalar_t, double>, double, float>; for (j = "
        "threadIdx.x; j < cols; j += blockDim.x) mine += acc_t(row[j]) * acc_t(row[j]); const acc_t factor = "
        "rsqrt(block_sum(mine) / cols + eps); then z = acc_t(row[j]) * factor * acc_t(weight[j]) + "
        "acc_t(bias[j]); out[j] = scalar_t(z / (1 + exp(-z))). Launch rows blocks of 256 threads.",
    ),
)
