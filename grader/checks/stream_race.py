"""`stream_race`: all work is ordered with the caller's current stream, whichever stream that is.

Inputs are written by work that waits on a stream, and the answer is called before it is done.  Values, the
simulator's reports, and on CUDA the profiler's stream ids and a replayed graph are the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grader.checks.base import PASSED, Bench, Check, Drawn, Finding, failed
from grader.checks.close import value_problem
from grader.checks.evidence import first_report, from_report
from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.observation import Observation
from grader.judge.protocol import Step

KINDS = ("wrong_stream", "stream_race")
_ADVICE = "Pass at::cuda::getCurrentCUDAStream() to every launch, copy and fill."
_TRIALS = {"sim": 1, "cuda": 3}


@dataclass(frozen=True)
class Situation:
    """Which streams are current and which are held up while the answer is called."""

    name: str
    streams: tuple[str, ...]
    busy: tuple[str, ...]
    produce: bool = True


SITUATIONS = (
    Situation("a side stream is current and its inputs are still being written", ("side",), ("side",)),
    Situation(
        "the default stream is current and its inputs are still being written", ("default",), ("default",)
    ),
    Situation(
        "a side stream is current and the default stream is busy", ("side",), ("default",), produce=False
    ),
    Situation("two calls are in flight on two streams", ("side", "other"), ("side", "other")),
)


@dataclass(frozen=True)
class StreamRace(Check):
    """Order between streams.  See the module."""

    case: Case = Case("streams", (1023,))
    name = "stream_race"
    needs_values = True

    def run(self, bench: Bench) -> Finding:
        """Report the first situation in which the answer runs ahead, or behind."""
        try:
            for trial in range(_TRIALS[bench.kind]):
                for situation in SITUATIONS:
                    finding = self._try(bench, situation, f"trial {trial}")
                    if finding:
                        return finding
            return self._on_gpu(bench) or PASSED
        except WorkerLostError as loss:
            return failed(messages.lost(bench.exercise.answer.called, loss, "called inside `with stream:`"))

    def _try(self, bench: Bench, situation: Situation, trial: str) -> Finding | None:
        drawn = [
            bench.draw(self.case, situation.name, trial, str(call)) for call in range(len(situation.streams))
        ]
        seen = bench.observe(_step(bench, situation, drawn))
        finding = first_report(bench, [(self.case, seen.reports)], KINDS) or _misplaced(
            bench, seen, self.case
        )
        if finding:
            return finding
        function = bench.exercise.answer.called
        if seen.error:
            return failed(messages.exception(function, seen.error, f"while {situation.name}"))
        problem = _stale(bench, seen, drawn)
        details = [{"kind": "stream_race", "situation": situation.name}]
        return (
            failed(f"{function}: while {situation.name}, {problem} {_ADVICE}", details=details)
            if problem
            else None
        )

    def _on_gpu(self, bench: Bench) -> Finding | None:
        if bench.kind != "cuda":
            return None
        return self._profiled(bench) or self._replayed(bench)

    def _profiled(self, bench: Bench) -> Finding | None:
        """The producer's own copies show which id the profiler gives to the side stream."""
        drawn = bench.draw(self.case, "profile")
        step = Step(
            bench.exercise.answer.entry, (drawn.arguments,), streams=("side",), produce=True, profile=True
        )
        launches = bench.observe(step).launches
        side = {launch.get("stream") for launch in launches if "Memcpy" in str(launch.get("kernel"))}
        strays = [launch for launch in launches if launch.get("stream") not in side] if len(side) == 1 else []
        if not strays:
            return None
        stray = {"kind": "wrong_stream", "stream": strays[0].get("stream"), "current_stream": side.pop()}
        return from_report(bench, stray | {"kernel": strays[0].get("kernel")}, self.case)

    def _replayed(self, bench: Bench) -> Finding | None:
        """Work that goes elsewhere is missing from a captured graph.  Refusing capture is no race."""
        drawn = [bench.draw(self.case, "replay", str(call)) for call in range(2)]
        calls = tuple(one.arguments for one in drawn)
        seen = bench.observe(Step(bench.exercise.answer.entry, calls, capture=True))
        if seen.error or not seen.calls[1].outputs:
            return None
        values = seen.calls[1].outputs[0].values
        problem = value_problem(bench, values, drawn[1]) if values is not None else None
        function = bench.exercise.answer.called
        return (
            failed(f"{function}: replayed from a CUDA graph with new inputs, {problem} {_ADVICE}")
            if problem
            else None
        )


def _step(bench: Bench, situation: Situation, drawn: Sequence[Drawn]) -> Step:
    calls = tuple(one.arguments for one in drawn)
    return Step(
        bench.exercise.answer.entry,
        calls,
        streams=situation.streams,
        busy=situation.busy,
        produce=situation.produce,
    )


def _misplaced(bench: Bench, seen: Observation, case: Case) -> Finding | None:
    """Look through the simulator's launch log for a launch on another stream than the current one."""
    for launch in seen.launches:
        if "current_stream" in launch and launch.get("stream") != launch["current_stream"]:
            report: dict[str, Any] = {**launch, "kind": "wrong_stream"}
            return from_report(bench, report, case)
    return None


def _stale(bench: Bench, seen: Observation, drawn: Sequence[Drawn]) -> str | None:
    """Compare what the caller's stream sees, and what is there when all streams are done."""
    for call, expected in zip(seen.calls, drawn, strict=True):
        early = call.early[0] if call.early else None
        late = call.outputs[0].values if call.outputs else None
        if early is None or late is None:
            return "no result could be read."
        problem = value_problem(bench, early, expected) or value_problem(bench, late, expected)
        if problem:
            return problem
    return None
