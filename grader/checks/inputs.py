"""`inputs`: a call leaves its arguments as they were, the memory around a view included.

Of a tensor that the exercise changes in place, only the view's own elements may change.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from grader.checks.base import (
    PASSED,
    Bench,
    Check,
    Drawn,
    Finding,
    failed,
    observations,
    tensor_names,
    tensors,
)
from grader.exercise import Case
from grader.judge import messages
from grader.judge.observation import CallSeen


@dataclass(frozen=True)
class Inputs(Check):
    """Arguments unchanged.  See the module."""

    name = "inputs"

    def run(self, bench: Bench) -> Finding:
        """Report the first argument that a call changed."""
        drawn = {id(run.seen): run.drawn for run in bench.runs()}
        for case, seen in observations(bench):
            for call, arguments in zip(seen.calls, drawn[id(seen)], strict=True):
                problem = _changed(bench, call, arguments) if seen.error is None else None
                if problem:
                    return failed(
                        _message(bench, case, problem), details=[{"kind": "inputs", "case": case.name}]
                    )
        return PASSED


def _changed(bench: Bench, call: CallSeen, drawn: Drawn) -> tuple[str, int] | None:
    for position, (before, after) in enumerate(zip(tensors(drawn.arguments), call.inputs, strict=False)):
        outside = position == bench.exercise.in_place
        changed = 0 if after is None else changed_elements(before, after, outside)
        if changed:
            return tensor_names(bench.exercise.parameters, drawn.arguments)[position], changed
    return None


def changed_elements(before: torch.Tensor, after: torch.Tensor, outside: bool = False) -> int:
    """Return how many elements of a tensor's storage differ in any bit; `outside` the tensor itself only."""
    flat = torch.empty(0, dtype=before.dtype).set_(before.untyped_storage())
    if flat.numel() != after.numel() or flat.dtype is not after.dtype:
        return max(1, abs(flat.numel() - after.numel()))
    size = before.element_size()
    differs = (flat.view(torch.uint8) != after.reshape(-1).view(torch.uint8)).view(-1, size).any(1)
    if outside:
        differs.as_strided(before.shape, before.stride(), before.storage_offset()).fill_(False)
    return int(differs.sum())


def _message(bench: Bench, case: Case, problem: tuple[str, int]) -> str:
    name, count = problem
    elements = "1 element" if count == 1 else f"{count} elements"
    function = bench.exercise.answer.called
    where = messages.located(messages.case_text(case))
    if bench.exercise.in_place is not None and name == bench.exercise.parameters[bench.exercise.in_place]:
        return (
            f"{function} changed {elements} that lie beside its argument {name} in memory{where}. "
            "A view may be a part of something larger: reach each element by the view's strides."
        )
    return (
        f"{function} changed {elements} of its argument {name}{where}. Inputs must stay as they were: "
        "write into a tensor from torch::empty_like."
    )
