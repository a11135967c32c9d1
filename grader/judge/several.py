"""Several results of one call, laid end to end, so that every check compares one vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from grader.exercise import Exercise, Result
from grader.judge.observation import CallSeen, Observation, OutputSeen


def end_to_end(tensors: Sequence[torch.Tensor], dtype: torch.dtype) -> torch.Tensor:
    """Return the elements of all tensors, in order, as one vector."""
    return torch.cat([one.reshape(-1).to(dtype) for one in tensors])


def joined(exercise: Exercise, seen: Observation) -> Observation:
    """Return the observation with each call's results as one, or as none where they have other types."""
    if not exercise.results:
        return seen
    return replace(seen, calls=tuple(_joined_call(exercise.results, call) for call in seen.calls))


def _joined_call(results: Sequence[Result], call: CallSeen) -> CallSeen:
    values = _vector(results, [one.values for one in call.outputs])
    if values is None:
        return replace(call, outputs=(), early=(), parts=call.outputs)
    devices = " and ".join(dict.fromkeys(one.device for one in call.outputs))
    aliases = tuple(alias for one in call.outputs for alias in one.aliases)
    early = _vector(results, call.early)
    return replace(
        call,
        outputs=(OutputSeen(values, devices, aliases),),
        early=() if early is None else (early,),
        parts=call.outputs,
    )


def _vector(results: Sequence[Result], tensors: Sequence[torch.Tensor | None]) -> torch.Tensor | None:
    """Return the tensors end to end, or None unless there is one of the right type for each result."""
    known = [one for one in tensors if one is not None]
    if [one.dtype for one in known] != [result.dtype for result in results]:
        return None
    return end_to_end(known, torch.float32)


def place(results: Sequence[Result], parts: Sequence[torch.Tensor], index: int) -> str:
    """Return how messages name an element of the vector: `q[3, 7]`."""
    for result, part in zip(results, parts, strict=True):
        if index < part.numel():
            where = torch.unravel_index(torch.tensor(index), part.shape)
            return f"{result.name}{[int(n) for n in where]}"
        index -= part.numel()
    raise IndexError(index)
