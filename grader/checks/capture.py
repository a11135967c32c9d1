"""`capture`: a call can be recorded into a CUDA graph, and a replay computes from what its inputs then hold.

Waiting for the device and taking memory outside PyTorch's allocator end a capture with an error.  A launch or
copy on the default stream raises nothing: it is left out of the graph, which only a replay with other values
in the same memory shows.  Two replays follow the capture, so that what is prepared only once shows too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.checks.baseline import UNSEEN, Baseline, called_plainly
from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.observation import ErrorSeen, Observation
from grader.judge.protocol import Step

_ADVICE = (
    (
        ("unjoined",),
        "A stream was forked and not joined: make the current stream wait for it with an event.",
    ),
    (
        ("capturing", "streamcapture", "not permitted"),
        "While a graph is captured nothing may wait for the device and no memory may come from cudaMalloc: "
        "leave out synchronisation, .item() and blocking copies.",
    ),
)


@dataclass(frozen=True)
class Capture(Check):
    """Capture and replay.  See the module."""

    case: Case = Case("captured", (1023,))
    name = "capture"
    needs_values = True

    def run(self, bench: Bench) -> Finding:
        """Report a capture that fails, or a replay whose result is not that of its inputs."""
        function = bench.exercise.answer.called
        try:
            recorded = record(bench, self.case, replays=2)
        except WorkerLostError as loss:
            return failed(messages.lost(function, loss, "captured into a CUDA graph"))
        if recorded is None:
            return UNSEEN
        plain, seen = recorded
        if seen.error:
            return failed(f"{function}, captured into a CUDA graph: {_refusal(seen.error)}")
        problem = first_problem(bench, plain, seen)
        if problem is None:
            return PASSED
        return failed(
            f"{function}: replayed as a CUDA graph with new values in its inputs, {problem} "
            "All work has to be on the current stream at every call, and every call has to do all of it."
        )


def _refusal(error: ErrorSeen) -> str:
    said = " ".join(error.message.split("\n")[0].split())[:300]
    advice = next((advice for words, advice in _ADVICE if any(word in said.lower() for word in words)), "")
    return f"{error.type}: {messages.sentence(said)} {advice}".rstrip()


def record(
    bench: Bench, case: Case, replays: int, *labels: str
) -> tuple[tuple[Baseline, ...], Observation] | None:
    """Capture a call and replay it with other values; None where a plain call gives no right value.

    Returns one baseline for the capture and one for each replay, and what was seen.
    """
    captured = bench.draw(case, *labels, "captured")
    drawn = [captured]
    for replay in range(replays):
        new = bench.draw(case, *labels, "replayed", str(replay))
        drawn.append(bench.expect(captured.case, _in_replay(captured.arguments, new.arguments)))
    plain = [called_plainly(bench, one) for one in drawn]
    sound = tuple(one for one in plain if one is not None)
    if len(sound) < len(plain):
        return None
    calls = tuple(one.drawn.arguments for one in sound)
    return sound, bench.observe(Step(bench.exercise.answer.entry, calls, capture=True))


def first_problem(bench: Bench, plain: Sequence[Baseline], seen: Observation) -> str | None:
    """Say how the first replay whose result is wrong differs from its plain call."""
    for one, call in zip(plain[1:], seen.calls[1:], strict=True):
        values = call.outputs[0].values if call.outputs else None
        problem = "no result could be read." if values is None else one.problem(bench, values)
        if problem:
            return problem
    return None


def _in_replay(captured: Sequence[Any], replayed: Sequence[Any]) -> tuple[Any, ...]:
    """A graph keeps numbers as they were at capture; only memory can hold other values in a replay."""
    pairs = zip(captured, replayed, strict=True)
    return tuple(new if isinstance(new, (torch.Tensor, list, tuple)) else old for old, new in pairs)
