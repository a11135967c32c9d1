"""`x` where positive and `slope * x` elsewhere, in four floating types.  Out of scope: autograd, in-place."""

from __future__ import annotations

from typing import Any

import torch

from grader.checks import Build, Close, DataRace, Device, Inputs, Launch, Memory, Policy, Rejects, StreamRace
from grader.checks.rejects import of_dtype, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise, laid_out

_SLOPES = {"slope above one": 1.75, "negative slope": -0.5, "slope zero": 0.0}
"""Slopes for which `max(x, slope * x)` is something else than the definition."""
_NOT_NUMBERS = (float("nan"), float("inf"), float("-inf"), 0.0, -0.0)


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    x = draw.normal(case.shape, layout=case.layout, dtype=case.dtype)
    if case.name.startswith("not a number"):
        planted = x.reshape(-1).clone()
        planted[:: len(planted) // 8 + 1] = float("nan")
        planted[1 : 1 + len(_NOT_NUMBERS)] = torch.tensor(_NOT_NUMBERS)
        x = laid_out(planted.view(x.shape), case.layout)
    return x, _SLOPES.get(case.name, draw.uniform(0.01, 0.3))


def _reference(x: torch.Tensor, slope: float) -> torch.Tensor:
    return torch.where(x > 0, x, slope * x)


EXERCISE = Exercise(
    id="leaky_relu",
    lesson="02_load_inline",
    points=12,
    answer=Cuda("leaky_relu", "torch::Tensor leaky_relu(torch::Tensor x, double slope)"),
    parameters=("x", "slope"),
    inputs=_inputs,
    reference=_reference,
    cases=(
        Case("one", (1,)),
        Case("a full block less one", (1023,)),
        Case("full blocks", (1024,), dtype=torch.float64),
        Case("a full block and one", (1025,), dtype=torch.float16),
        Case("65,535 elements", (65_535,), dtype=torch.bfloat16),
        Case("65,537 elements", (65_537,)),
        Case("drawn", (-1,)),
        Case("float64", (-1, -1), dtype=torch.float64),
        Case("float16", (-1, -1), dtype=torch.float16),
        Case("bfloat16", (-1,), dtype=torch.bfloat16),
        Case("slope above one", (517,)),
        Case("negative slope", (31, 17), dtype=torch.float64),
        Case("slope zero", (300,), dtype=torch.float16),
        Case("not a number", (203,)),
        Case("not a number, bfloat16", (77,), dtype=torch.bfloat16),
        Case("no elements", (0,)),
        Case("no rows", (0, 7), dtype=torch.float16),
        Case("no columns", (5, 0), dtype=torch.float64),
        Case("transposed", (64, 33), "transposed"),
        Case("transposed, float16", (33, 70), "transposed", torch.float16),
        Case("offset", (301,), "offset", torch.bfloat16),
        Case("every second", (41, 23), "strided"),
        Case("window", (19, 37), "window", torch.float64),
        Case("expanded", (21, 29), "expanded"),
        Case("channels last", (2, 3, 5, 7), "channels_last", torch.float16),
    ),
    checks=(
        Build(),
        Close(5),
        Rejects(
            1,
            (
                on_cpu(0, "x"),
                of_dtype(0, "x", torch.int64),
                of_dtype(0, "x", torch.int32),
                of_dtype(0, "x", torch.uint8),
            ),
        ),
        Inputs(1),
        StreamRace(1),
        Device(1),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0),
    ),
    hints=(
        "How many C++ types does this one kernel have to exist in, and which macro from section 9 runs your "
        "lambda with scalar_t set to the right one? What does that macro do with an integer tensor?",
        "The definition has one comparison. For which slopes is max(x, slope * x) something else, and what "
        "do fmaxf and max make of a NaN? And how many blocks do zero elements get?",
        "In the kernel: scalar_t v = x[i]; out[i] = v > scalar_t(0) ? v : scalar_t(slope * double(v)), with "
        "slope passed as a double. In the wrapper: TORCH_CHECK(x.is_cuda(), ...), x = x.contiguous(), "
        "empty_like, AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, ...); no launch if n == 0.",
    ),
)
