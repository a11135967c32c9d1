"""`alpha * x` on the caller's stream.  Out of scope: graphs, priorities, other dtypes."""

from __future__ import annotations

from typing import Any

import torch

from grader.checks import Build, Close, DataRace, Device, Inputs, Launch, Memory, Policy, Rejects, StreamRace
from grader.checks.rejects import of_dtype, on_cpu
from grader.exercise import Case, Cuda, Draw, Exercise


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    return draw.normal(case.shape, layout=case.layout, dtype=case.dtype), draw.uniform(1.5, 4.0)


EXERCISE = Exercise(
    id="side_stream_scale",
    lesson="05_streams",
    points=12,
    answer=Cuda("side_stream_scale", "torch::Tensor side_stream_scale(torch::Tensor x, double alpha)"),
    parameters=("x", "alpha"),
    inputs=_inputs,
    reference=lambda x, alpha: alpha * x,
    cases=(
        Case("one", (1,)),
        Case("odd", (1023,)),
        Case("full blocks", (1024,)),
        Case("a full block and one", (1025,)),
        Case("many blocks", (65_537,)),
        Case("drawn", (-1,)),
        Case("matrix", (-1, -1)),
        Case("transposed", (64, 33), "transposed"),
        Case("offset", (301,), "offset"),
        Case("every second", (41, 23), "strided"),
        Case("expanded", (21, 29), "expanded"),
        Case("channels last", (2, 3, 5, 7), "channels_last"),
    ),
    checks=(
        Build(),
        Close(1),
        Rejects(1, (on_cpu(0, "x"), of_dtype(0, "x", torch.float64), of_dtype(0, "x", torch.int64))),
        Inputs(1),
        StreamRace(5),
        Device(1),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0),
    ),
    hints=(
        "Inside `with stream:`, which stream does a launch with two arguments go to?",
        "The third launch argument is bytes of shared memory, 0 here. What is the fourth?",
        "auto stream = c10::cuda::getCurrentCUDAStream(); in the wrapper, at every call, then "
        "<<<blocks, threads, 0, stream>>>.",
    ),
)
