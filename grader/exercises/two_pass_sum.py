"""The sum of a tensor in two kernels, without waiting.  Out of scope: other dtypes, one dimension only."""

from __future__ import annotations

from typing import Any

import torch

from grader.checks import (
    Build,
    Capture,
    Close,
    DataRace,
    Device,
    Inputs,
    Launch,
    Memory,
    Policy,
    Rejects,
    StreamRace,
)
from grader.checks.rejects import of_dtype, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise, bound_of_sums, laid_out, odd_numbers

_WHOLE = "whole numbers"


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    """Return normal values, or whole numbers that float32 adds exactly."""
    values = draw.normal(case.shape, dtype=case.dtype)
    if case.name.startswith(_WHOLE):
        values = odd_numbers(values)
    return (laid_out(values, case.layout),)


def _magnitude(x: torch.Tensor) -> torch.Tensor:
    return bound_of_sums(x.abs().sum(), torch.tensor(x.numel()), (x != x.round()).sum())


EXERCISE = Exercise(
    id="two_pass_sum",
    lesson="05_streams",
    points=14,
    answer=Cuda("two_pass_sum", "torch::Tensor two_pass_sum(torch::Tensor x)"),
    parameters=("x",),
    inputs=_inputs,
    reference=lambda x: x.sum(),
    ulps=1.0,
    magnitude=_magnitude,
    cases=(
        Case("one", (1,)),
        Case("less than a warp", (31,)),
        Case("a full block less one", (1023,)),
        Case("full blocks", (1024,)),
        Case("a full block and one", (1025,)),
        Case(f"{_WHOLE}, a full block and one", (1025,)),
        Case(f"{_WHOLE}, many blocks", (65_537,)),
        Case(f"{_WHOLE}, more partial sums than threads", (300_001,)),
        Case("drawn", (-1,)),
        Case("matrix", (-1, -1)),
        Case("no elements", (0,)),
        Case("no rows", (0, 5)),
        Case("no dimensions", ()),
        Case("transposed", (64, 33), "transposed"),
        Case("offset", (301,), "offset"),
        Case("every second", (41, 23), "strided"),
        Case(f"{_WHOLE}, window", (19, 37), "window"),
        Case("expanded", (21, 29), "expanded"),
        Case("channels last", (2, 3, 5, 7), "channels_last"),
    ),
    checks=(
        Build(),
        Close(4),
        Rejects(1, (on_cpu(0, "x"), of_dtype(0, "x", torch.float64), of_dtype(0, "x", torch.int32))),
        Inputs(1),
        StreamRace(1, Case("streams", (5003,))),
        Capture(2, Case("captured", (5003,))),
        Device(2, Case("second device", (5003,)), guard=True),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0, Case("who adds", (5003,))),
    ),
    hints=(
        "A block can add up its own elements and no others. Where does it leave its sum, and what has to "
        "have happened before another kernel reads that place?",
        "Two launches on one stream are ordered: no synchronisation is needed between them. If the workspace "
        "holds one float for each block, how does one block add more of them than it has threads?",
        "const c10::cuda::CUDAGuard guard(x.device()); then partial = torch::empty({blocks}, x.options()), "
        "out = torch::empty({}, x.options()); sum_kernel<<<blocks, 256, 0, stream>>>(x, partial, n); "
        "sum_kernel<<<1, 256, 0, stream>>>(partial, out, blocks). The kernel strides over its input: "
        "for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x).",
    ),
)
