"""`relu(a + b)` in one kernel.  Out of scope: other dtypes, zero elements, autograd."""

from __future__ import annotations

from typing import Any

import torch

from grader.checks import Build, Close, DataRace, Device, Inputs, Launch, Memory, Policy, Rejects, StreamRace
from grader.checks.rejects import all_of_dtype, of_shape, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    return tuple(draw.normal(case.shape, layout=case.layout_of(n), dtype=case.dtype) for n in range(2))


EXERCISE = Exercise(
    id="add_relu",
    lesson="02_load_inline",
    points=11,
    answer=Cuda("add_relu", "torch::Tensor add_relu(torch::Tensor a, torch::Tensor b)"),
    parameters=("a", "b"),
    inputs=_inputs,
    reference=lambda a, b: (a + b).clamp_min(0),
    cases=(
        Case("one", (1,)),
        Case("a full block less one", (1023,)),
        Case("full blocks", (1024,)),
        Case("a full block and one", (1025,)),
        Case("many blocks", (65_537,)),
        Case("drawn", (-1,)),
        Case("matrix", (-1, -1)),
        Case("three dimensions", (3, 17, 11)),
        Case("transposed", (64, 33), "transposed"),
        Case("one transposed", (33, 70), "dense,transposed"),
        Case("offset", (301,), "offset"),
        Case("every second", (41, 23), "strided"),
        Case("window", (19, 37), "window,dense"),
        Case("expanded", (21, 29), "expanded,dense"),
        Case("channels last", (2, 3, 5, 7), "channels_last"),
    ),
    checks=(
        Build(),
        Close(4),
        Rejects(
            1,
            (
                on_cpu(0, "a"),
                on_cpu(1, "b"),
                of_shape(1, "b", "one row short", lambda b: b[:-1]),
                of_shape(1, "b", "of one row", lambda b: b[:1]),
                of_shape(
                    1, "b", "of the same number of elements but another shape", lambda b: b.reshape(4, 6)
                ),
                all_of_dtype("a and b", torch.float64),
                all_of_dtype("a and b", torch.int32),
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
        "Blocks of 256 threads: which element belongs to thread 5 of block 2? Write that index as a formula, "
        "and compare it with n before you use it.",
        "data_ptr knows nothing of strides. Which call gives a tensor that lies in memory in order, and "
        "which variable keeps it alive until the wrapper returns?",
        "The wrapper, in order: TORCH_CHECK device and sizes; a = a.contiguous(), b = b.contiguous(); "
        "out = torch::empty_like(a); blocks = (n + 255) / 256; launch "
        "<<<blocks, 256, 0, c10::cuda::getCurrentCUDAStream()>>>.",
    ),
)
