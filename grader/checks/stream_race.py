"""`stream_race`: all work is ordered with the caller's current stream, whichever stream that is.

Inputs are written by work that waits on a stream, and the answer is called before it is done.  Values, the
simulator's reports, and on CUDA the profiler's stream ids and a replayed graph are the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from grader.checks import gradients
from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.checks.baseline import UNSEEN, Baseline, baseline
from grader.checks.capture import first_problem, record
from grader.checks.evidence import first_report, from_report
from grader.checks.gradcheck import NoGradientError
from grader.checks.gradients import GradientRun, agree, declared, gradient_run, magnitudes
from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.observation import Observation
from grader.judge.protocol import Step

KINDS = ("wrong_stream", "stream_race")
_ADVICE = "Pass c10::cuda::getCurrentCUDAStream() to every launch, copy and fill."
_PROFILER_DEFAULTS = (7, "7")
"""The id that the profiler gives to the legacy default stream."""
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
        beside = bench.beside()
        try:
            finding = self._on(bench) or (self._on(beside) if beside else None) or self._on_gpu(bench)
        except WorkerLostError as loss:
            return failed(messages.lost(bench.exercise.answer.called, loss, "called inside `with stream:`"))
        return finding or PASSED

    def _on(self, bench: Bench) -> Finding | None:
        """Try every situation on one device."""
        for trial in range(_TRIALS[bench.kind]):
            for situation in SITUATIONS:
                finding = self._try(bench, situation, f"trial {trial}")
                if finding:
                    return finding
        return self._backward(bench) if bench.exercise.differentiable else None

    def _try(self, bench: Bench, situation: Situation, trial: str) -> Finding | None:
        calls = range(len(situation.streams))
        plain = [baseline(bench, self.case, situation.name, trial, str(call)) for call in calls]
        sound = [one for one in plain if one is not None]
        if len(sound) < len(plain):
            return UNSEEN
        seen = bench.observe(_step(bench, situation, tuple(one.drawn.arguments for one in sound)))
        return (
            first_report(bench, [(self.case, seen.reports)], KINDS)
            or _on_default_stream(bench, seen, self.case)
            or _stale(bench, situation, seen, sound)
        )

    def _backward(self, bench: Bench) -> Finding | None:
        """See whether backward is ordered too, in each type: its incoming gradient is still being written."""
        check = declared(bench)
        types = dict.fromkeys(one.case.dtype for one in check.situations) if check else {}
        return next((found for dtype in types if (found := self._backward_in(bench, dtype))), None)

    def _backward_in(self, bench: Bench, dtype: torch.dtype) -> Finding | None:
        case = replace(self.case, name="streams, backward", dtype=dtype)
        plain = gradient_run(bench, gradients.Situation(case))
        if not _is_right(bench, plain):
            return None
        assert isinstance(plain.seen, Observation)
        behind = bench.observe(replace(plain.step, streams=("side",), busy=("side",), produce=True))
        finding = first_report(bench, [(case, behind.reports)], KINDS)
        if finding:
            return finding
        measures = magnitudes(bench, plain.drawn[0].arguments, plain.incoming, plain.flags)
        same = agree(plain.seen.gradients, behind.gradients, measures, bench.exercise.ulps)
        if behind.error or not same:
            function = bench.exercise.answer.called
            return failed(f"{function}: in backward, while {SITUATIONS[0].name}, gradients change. {_ADVICE}")
        return None

    def _on_gpu(self, bench: Bench) -> Finding | None:
        if bench.kind != "cuda":
            return None
        return self._profiled(bench) or self._replayed(bench)

    def _profiled(self, bench: Bench) -> Finding | None:
        """See whether anything ran on a default stream while another was current."""
        drawn = bench.draw(self.case, "profile")
        step = Step(
            bench.exercise.answer.entry,
            (drawn.arguments,),
            streams=("side",),
            produce=True,
            profile=True,
        )
        launches = bench.observe(step).launches
        strays = [launch for launch in launches if launch.get("stream") in _PROFILER_DEFAULTS]
        if not strays:
            return None
        stray = {"kind": "wrong_stream", "stream": "0", "current_stream": "a side stream"}
        return from_report(bench, stray | {"kernel": strays[0].get("kernel")}, self.case)

    def _replayed(self, bench: Bench) -> Finding | None:
        """Work that goes elsewhere is missing from a captured graph.  Refusing capture is no race."""
        recorded = record(bench, self.case, 1, "replay")
        if recorded is None:
            return UNSEEN
        plain, seen = recorded
        function = bench.exercise.answer.called
        if seen.error and "unjoined" in seen.error.message:
            return failed(
                f"{function}: captured into a CUDA graph, a stream was forked and not joined. {_ADVICE}"
            )
        if seen.error:
            return None
        problem = first_problem(bench, plain, seen)
        return (
            failed(f"{function}: replayed as a CUDA graph with new inputs, {problem} {_ADVICE}")
            if problem
            else None
        )


def _is_right(bench: Bench, run: GradientRun) -> bool:
    """Whether a plain run has the reference's gradients: a wrong one is gradcheck's alone."""
    check = declared(bench)
    try:
        return check is not None and check.problem(bench, run) is None
    except (WorkerLostError, NoGradientError):
        return False


def _on_default_stream(bench: Bench, seen: Observation, case: Case) -> Finding | None:
    """Name a launch on the default stream while another is current, as the profiler does on a GPU.

    Waiting for the whole device before and after makes it safe, and it is still not the caller's stream.
    """
    for launch in seen.launches:
        if launch.get("stream") == 0 and launch.get("current_stream") not in (None, 0):
            return from_report(bench, {**launch, "kind": "wrong_stream"}, case)
    return None


def _step(bench: Bench, situation: Situation, calls: tuple[tuple[Any, ...], ...]) -> Step:
    return Step(
        bench.exercise.answer.entry,
        calls,
        streams=situation.streams,
        busy=situation.busy,
        produce=situation.produce,
    )


def _stale(
    bench: Bench, situation: Situation, seen: Observation, sound: Sequence[Baseline]
) -> Finding | None:
    """Compare what the caller's stream sees, and what is there when all streams are done."""
    function = bench.exercise.answer.called
    if seen.error:
        return failed(messages.exception(function, seen.error, f"while {situation.name}", seen.reports))
    for call, plain in zip(seen.calls, sound, strict=True):
        early = call.early[0] if call.early else None
        late = call.outputs[0].values if call.outputs else None
        if early is None or late is None:
            return failed(f"{function}: while {situation.name}, no result could be read.")
        problem = plain.problem(bench, early) or plain.problem(bench, late)
        if problem:
            details = [{"kind": "stream_race", "situation": situation.name}]
            return failed(f"{function}: while {situation.name}, {problem} {_ADVICE}", details=details)
    return None
