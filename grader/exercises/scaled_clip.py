"""`clamp(scale * x, -limit, limit)` with a gradient written in C++.  Out of scope: half precision, NaN.

At exactly the limit the clamp has a corner.  PyTorch's gradient there is `scale`, as inside; zero, as
outside, is as good a derivative, and both are accepted.  Zero is a limit; a negative one is refused.
"""

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
from grader.checks.gradients import ONE_TENSOR, Situation
from grader.checks.rejects import Bad, of_dtype, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise, laid_out

_BESIDE = "at and beside the limits"
_SCALE, _LIMIT = 2.0, 1.5
"""Exact in float32, as is their quotient: the product meets the limit, or misses it by one last place."""
_KINK = 1e-2
"""In all other cases no product comes nearer to the limit: rounding cannot move it across."""


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    x = draw.normal(case.shape, dtype=case.dtype)
    if case.name.startswith(_BESIDE):
        return laid_out(_around(_LIMIT / _SCALE, x), case.layout_of(0)), _SCALE, _LIMIT
    scale, limit = draw.uniform(0.5, 2.5), draw.uniform(0.8, 2.0)
    if "negative scale" in case.name:
        scale = -scale
    if "limit of zero" in case.name:
        limit = 0.0
    near = ((x * scale).abs() - limit).abs() < _KINK
    return laid_out(torch.where(near, x * 1.5 + 0.1, x), case.layout_of(0)), scale, limit


def _around(edge: float, x: torch.Tensor) -> torch.Tensor:
    """Replace elements by the edge, its two neighbours, and the same below zero; every seventh stays."""
    at = torch.full_like(x, edge)
    inside, outside = torch.nextafter(at, at * 0), torch.nextafter(at, at * 2)
    kinds = torch.stack([at, inside, outside, -at, -inside, -outside, x])
    which = torch.arange(x.numel()).reshape(x.shape) % len(kinds)
    return torch.gather(kinds, 0, which[None])[0]


def _clip(x: torch.Tensor, scale: float, limit: float) -> torch.Tensor:
    return (x * scale).clamp(-limit, limit)


def _zero_at_the_limit(x: torch.Tensor, scale: float, limit: float) -> torch.Tensor:
    """Return the same values; at exactly the limit the derivative is that of outside."""
    product = x * scale
    return torch.where(product.abs() < limit, product, product.detach().clamp(-limit, limit))


_LARGE = Case("more than a warp", (4, 70), dtype=torch.float64)
EXERCISE = Exercise(
    id="scaled_clip",
    lesson="04_autograd",
    points=13,
    answer=Cuda("scaled_clip", "torch::Tensor scaled_clip(torch::Tensor x, double scale, double limit)"),
    parameters=("x", "scale", "limit"),
    inputs=_inputs,
    reference=_clip,
    cases=(
        Case("one", (1,)),
        Case("a full block less one", (1023,)),
        Case("full blocks", (1024,)),
        Case("a full block and one", (1025,)),
        Case("many blocks", (65_537,)),
        Case("drawn", (-1,)),
        Case("matrix", (-1, -1)),
        Case("negative scale", (301,)),
        Case("limit of zero", (77,)),
        Case(_BESIDE, (515,)),
        Case(f"{_BESIDE}, float64", (515,), dtype=torch.float64),
        Case("float64", (1031,), dtype=torch.float64),
        Case("float64, transposed", (33, 70), "transposed", torch.float64),
        Case("transposed", (64, 33), "transposed"),
        Case("offset", (301,), "offset"),
        Case("every second", (41, 23), "strided"),
        Case("expanded", (21, 29), "expanded"),
        Case("channels last", (2, 3, 5, 7), "channels_last"),
    ),
    checks=(
        Build(),
        Close(3),
        Rejects(
            1,
            (
                on_cpu(0, "x"),
                of_dtype(0, "x", torch.int32),
                of_dtype(0, "x", torch.int64),
                Bad(
                    "a negative limit",
                    lambda arguments: (*arguments[:2], -1.0),
                    "TORCH_CHECK(limit >= 0, ...)",
                ),
            ),
        ),
        Inputs(1),
        Gradcheck(
            3,
            situations=(
                *ONE_TENSOR,
                Situation(Case(_BESIDE, (131,), dtype=torch.float64)),
                Situation(Case(f"{_BESIDE}, float32", (131,))),
                Situation(replace(_LARGE, name="negative scale")),
                Situation(replace(_LARGE, name="limit of zero")),
            ),
            corners=(_zero_at_the_limit,),
        ),
        StreamRace(1),
        Device(1),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0),
    ),
    hints=(
        "forward takes x, scale and limit. How many gradients does backward return, and what stands for the "
        "gradient of a number?",
        "Where is the clamp active? Can backward see that from scale * x alone, and what does "
        "ctx->saved_data keep that ctx->save_for_backward cannot?",
        "struct ScaledClip : torch::autograd::Function<ScaledClip> with static torch::Tensor "
        "forward(AutogradContext* ctx, torch::Tensor x, double scale, double limit) and static variable_list "
        "backward(AutogradContext* ctx, variable_list grads) { auto x = ctx->get_saved_variables()[0]; auto "
        "grad = grads[0].contiguous(); ... return {out, torch::Tensor(), torch::Tensor()}; } and, in the "
        "wrapper, return ScaledClip::apply(x, scale, limit);",
    ),
)
