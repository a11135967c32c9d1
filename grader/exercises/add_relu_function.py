"""`relu(a + b)` with a gradient.  Out of scope: double backward, autocast, half precision."""

from __future__ import annotations

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
from grader.checks.rejects import all_of_dtype, of_shape, on_cpu
from grader.exercise import Case, CudaAndPython, Draw, Exercise, laid_out

_KINK = 0.05
"""No sum comes nearer to zero than this, where relu has no derivative and finite differences none of use.

Except where `a` repeats a row: no finite differences are taken there, and a sum's sign is exact.
"""


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    a, b = (draw.normal(case.shape, layout=case.layout_of(n), dtype=case.dtype) for n in range(2))
    near = (a + b).abs() < _KINK
    if case.layout_of(0) != "expanded":
        a = laid_out(torch.where(near, a + 4 * _KINK, a), case.layout_of(0))
    return a, b


EXERCISE = Exercise(
    id="add_relu_function",
    lesson="04_autograd",
    points=13,
    answer=CudaAndPython(
        "add_relu",
        "torch::Tensor add_relu(torch::Tensor a, torch::Tensor b)",
        "fused_add_relu",
        "fused_add_relu(a, b)",
    ),
    parameters=("a", "b"),
    inputs=_inputs,
    reference=lambda a, b: (a + b).clamp_min(0),
    cases=(
        Case("one", (1,)),
        Case("a full block less one", (1023,)),
        Case("a full block and one", (1025,)),
        Case("many blocks", (65_537,)),
        Case("drawn", (-1,)),
        Case("float64", (515,), dtype=torch.float64),
        Case("float64 matrix", (-1, -1), dtype=torch.float64),
        Case("transposed", (64, 33), "transposed"),
        Case("one transposed, float64", (33, 70), "dense,transposed", torch.float64),
        Case("offset", (301,), "offset"),
        Case("every second", (41, 23), "strided"),
        Case("expanded", (21, 29), "expanded,dense"),
    ),
    checks=(
        Build(),
        Close(3),
        Rejects(
            1,
            (
                on_cpu(0, "a"),
                on_cpu(1, "b"),
                of_shape(1, "b", "one row short", lambda b: b[:-1]),
                of_shape(1, "b", "of one row", lambda b: b[:1]),
                all_of_dtype("a and b", torch.int32),
            ),
        ),
        Inputs(1),
        Gradcheck(3),
        StreamRace(1),
        Device(1),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0),
    ),
    hints=(
        "gradcheck brings doubles. What does your kernel do with them, and which macro chooses the type?",
        "How many inputs has forward? backward returns that many gradients, in that order.",
        "Save the result: the gradient passes where out > 0. The incoming gradient may be expanded or "
        "transposed, so a kernel that reads it needs grad.contiguous().",
    ),
)
