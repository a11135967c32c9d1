"""Rows to eight bits with a scale each.  Out of scope: no elements, NaN and infinities, bfloat16.

Whole numbers are compared exactly, planted ties included; where the division's own rounding decides, either
neighbour is accepted (docs/decisions/0063).
"""

from __future__ import annotations

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
)
from grader.checks.rejects import of_dimensions, of_dtype, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise, Result, laid_out

_LEVELS = 127.0
_UNDECIDED = _LEVELS * 4 * 2.0**-24
"""How near to a tie a quotient is undecided: the scale may be an ulp off, and both are rounded."""
_ONE = 1 / torch.finfo(torch.float32).eps
"""A magnitude whose last place, in float32, is 1."""


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    """Return normal values whose rows differ in size; in `ties` cases halves of a power of two."""
    rows, cols = case.shape
    x = draw.normal((rows, cols), dtype=torch.float64)
    powers = torch.tensor([2.0 ** draw.integer(-6, 1) for _ in range(rows)], dtype=torch.float64)[:, None]
    if case.name.startswith("ties"):
        x = ((x * 40).floor().clamp(-127, 126) + 0.5) * powers
        for row in range(rows):
            x[row, draw.integer(0, cols - 1)] = _LEVELS * powers[row, 0] * (1 - 2 * draw.integer(0, 1))
    else:
        x = x * powers
    if case.name.startswith("rows of zeros"):
        x[::2] = 0
        # Rows whose largest value is 1 are told from those of zeros.
        x[1::2] /= x[1::2].abs().amax(1, keepdim=True)
    if case.name.startswith("the largest"):
        x[:, 0 if "first" in case.name else -1] = -300 * powers[:, 0]
    return (laid_out(x.to(case.dtype), case.layout),)


def _scale(x: torch.Tensor) -> torch.Tensor:
    """Return absmax / 127 in float32, divided by a tensor: a number may be multiplied by its reciprocal."""
    return x.abs().amax(1).float() / torch.tensor(_LEVELS)


def _quotient(x: torch.Tensor) -> torch.Tensor:
    """Return x over the float32 scale, in float64; zero for a row of zeros."""
    scale = _scale(x).double()[:, None]
    return torch.where(scale == 0, 0.0, x / torch.where(scale == 0, 1.0, scale))


def _reference(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return q, rounded half to even, and the scale: x is that of float32 or float16, in float64."""
    return _quotient(x).float().round().double(), x.abs().amax(1) / _LEVELS


def _magnitude(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return 0 where q is decided, one unit where it is not, and the scale itself."""
    quotient, scale = _quotient(x), _reference(x)[1]
    from_tie = (quotient - quotient.floor() - 0.5).abs()
    exact_scale = (_scale(x).double() * _LEVELS == x.abs().amax(1))[:, None]
    undecided = (from_tie < _UNDECIDED) & ~((from_tie == 0) & exact_scale)
    return torch.where(undecided, _ONE, 0.0), scale


EXERCISE = Exercise(
    id="quantize_rowwise",
    lesson="07_irregular_and_novel",
    points=13,
    answer=Cuda(
        "quantize_rowwise", "std::tuple<torch::Tensor, torch::Tensor> quantize_rowwise(torch::Tensor x)"
    ),
    parameters=("x",),
    inputs=_inputs,
    reference=_reference,
    magnitude=_magnitude,
    ulps=1.0,
    results=(Result("q", torch.int8), Result("scale", torch.float32)),
    cases=(
        Case("one", (1, 1)),
        Case("less than a warp", (3, 31)),
        Case("a block and one", (4, 257)),
        Case("one row", (1, 70_001)),
        Case("one column", (1025, 1)),
        Case("many rows", (2003, 5)),
        Case("the largest comes last", (37, 600)),
        Case("the largest comes first", (37, 600), dtype=torch.float16),
        Case("rows of zeros", (9, 65)),
        Case("rows of zeros, half", (9, 65), dtype=torch.float16),
        Case("ties", (16, 300)),
        Case("ties, half", (16, 300), dtype=torch.float16),
        Case("drawn", (-1, -1)),
        Case("drawn, half", (-1, -1), dtype=torch.float16),
        Case("transposed", (64, 33), "transposed"),
        Case("transposed, half", (64, 33), "transposed", torch.float16),
        Case("offset", (51, 13), "offset", torch.float16),
        Case("every second", (41, 23), "strided"),
        Case("window", (19, 37), "window"),
        Case("expanded", (21, 29), "expanded"),
    ),
    checks=(
        Build(),
        Close(5),
        Rejects(
            1,
            (
                on_cpu(0, "x"),
                of_dtype(0, "x", torch.float64),
                of_dtype(0, "x", torch.int32),
                of_dimensions(0, "x", (12,)),
                of_dimensions(0, "x", (4, 3, 2)),
            ),
        ),
        Inputs(1),
        StreamRace(1, Case("streams", (31, 33))),
        Device(1, Case("second device", (23, 17))),
        Memory(1),
        DataRace(1),
        Launch(1),
        OneKernel(1, (Case("passes", (41, 300)), Case("passes, half", (9, 2050), dtype=torch.float16))),
        Policy(0, Case("who computes", (19, 41))),
    ),
    hints=(
        "Every element of a row needs the row's largest absolute value first. Who can know it, and what do "
        "the threads of one block have to wait for?",
        "roundf, rintf, (int)(v + 0.5f): which of them takes 2.5 to 2 and 3.5 to 4? And what does a row of "
        "zeros divide by?",
        "A block for each row: a loop with fmaxf(best, fabsf(float(x))) and a maximum in shared memory, "
        "__syncthreads(), float scale = best / 127.0f; then "
        "q[k] = scale > 0.0f ? int8_t(rintf(float(x[k]) / scale)) : 0, and thread 0 stores the scale.",
    ),
)
