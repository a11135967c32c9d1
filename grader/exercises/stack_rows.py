"""Vectors to the rows of a matrix, copied on the current stream.  Out of scope: other dtypes, no elements."""

from __future__ import annotations

from collections.abc import Callable
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
from grader.checks.rejects import Arguments, Bad
from grader.exercise import Case, Cuda, Draw, Exercise
from grader.judge.protocol import Placed


def _inputs(case: Case, draw: Draw) -> tuple[Any, ...]:
    """Return k rows of n; `transposed` makes them the columns of one matrix."""
    k, n = case.shape
    if case.layout == "transposed":
        return ([*draw.normal((k, n), layout="transposed", dtype=case.dtype).unbind(0)],)
    return ([draw.normal((n,), layout=case.layout_of(i), dtype=case.dtype) for i in range(k)],)


def _second_row(what: str, change: Callable[[torch.Tensor], Any], advice: str) -> Bad:
    """Change `rows[1]`: checking the first row only is not enough."""

    def changed(arguments: Arguments) -> Arguments:
        (rows,) = arguments
        return ([rows[0], change(rows[1]), *rows[2:]],)

    return Bad(f"rows[1] {what}", changed, advice)


EXERCISE = Exercise(
    id="stack_rows",
    lesson="05_streams",
    points=13,
    answer=Cuda("stack_rows", "torch::Tensor stack_rows(std::vector<torch::Tensor> rows)"),
    parameters=("rows",),
    inputs=_inputs,
    reference=torch.stack,
    cases=(
        Case("one", (1, 1)),
        Case("one row", (1, 1023)),
        Case("rows of one element", (70, 1)),
        Case("full blocks", (7, 1024)),
        Case("full blocks and one", (4, 1025)),
        Case("long rows", (3, 65_537)),
        Case("many rows", (257, 9)),
        Case("drawn", (-1, -1)),
        Case("offset", (5, 301), "offset"),
        Case("every second", (6, 43), "strided"),
        Case("one of them strided", (4, 64), "dense,offset,strided,dense"),
        Case("columns of a matrix", (9, 37), "transposed"),
        Case("one value repeated", (4, 50), "dense,expanded,dense"),
    ),
    checks=(
        Build(),
        Close(4),
        Rejects(
            1,
            (
                Bad("no rows", lambda arguments: ([],), "TORCH_CHECK(!rows.empty(), ...)"),
                _second_row("on the CPU", lambda row: Placed(row, "cpu"), "TORCH_CHECK(row.is_cuda(), ...)"),
                _second_row("of dtype float64", lambda row: row.double(), "TORCH_CHECK on scalar_type()"),
                _second_row("one element short", lambda row: row[:-1].clone(), "TORCH_CHECK on numel()"),
                _second_row("of one element", lambda row: row[:1].clone(), "TORCH_CHECK on numel()"),
                _second_row("with two dimensions", lambda row: row[None].clone(), "TORCH_CHECK on dim()"),
            ),
            Case("refused", (3, 8)),
        ),
        Inputs(1),
        StreamRace(2, Case("streams", (3, 1023))),
        Capture(1, Case("captured", (3, 1023))),
        Device(1, Case("second device", (3, 515))),
        Memory(1),
        DataRace(1),
        Launch(1),
        Policy(0, Case("who copies", (3, 259)), copies=True),
    ),
    hints=(
        "How many bytes is one row, and at which byte of the result does row i begin? What does a copy of "
        "that many bytes bring along when the row's stride is not 1?",
        "cudaMemcpyAsync(to, from, bytes, kind, stream): which kind moves device memory to device memory, "
        "which stream is meant, and what looks at the error that it returns?",
        "For each i: auto row = rows[i].contiguous(); "
        "C10_CUDA_CHECK(cudaMemcpyAsync(out.data_ptr<float>() + i * n, row.data_ptr<float>(), "
        "n * sizeof(float), cudaMemcpyDeviceToDevice, c10::cuda::getCurrentCUDAStream()));",
    ),
)
