"""`capture`, judged from what a worker would say of a graph and its replays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from grader import exercises
from grader.checks.base import Drawn, Finding
from grader.checks.capture import Capture
from grader.exercise import Case, Draw
from grader.judge.observation import CallSeen, ErrorSeen, Observation, OutputSeen
from grader.judge.protocol import Step
from grader.verdict import Outcome

Replay = Callable[[Sequence[torch.Tensor], int], torch.Tensor]


class Recording:
    """A bench whose worker records one call: a replay reads the input that `replay` picks."""

    kind = "sim"

    def __init__(self, replay: Replay, error: ErrorSeen | None = None) -> None:
        """Let `replay` say which input replay number n reads, of all that were drawn; or raise `error`."""
        self.exercise, self._replay, self._error = exercises.get("side_stream_scale"), replay, error

    def draw(self, case: Case, *labels: str) -> Drawn:
        """Return what the exercise draws for the labels."""
        return self.expect(case, self.exercise.inputs(case, Draw(5, *labels)))

    def expect(self, case: Case, arguments: tuple[Any, ...]) -> Drawn:
        """Return the arguments with their float64 result."""
        x, alpha = arguments
        return Drawn(case, arguments, self.exercise.reference(x.double(), alpha))

    def observe(self, step: Step) -> Observation:
        """Scale an input by the number of the first call."""
        inputs = [call[0] for call in step.calls]
        picked = [self._replay(inputs, n) if n else inputs[0] for n in range(len(inputs))]
        alpha = step.calls[0][1]
        calls = tuple(CallSeen("tensor", (OutputSeen(x * alpha, "sim:0", ()),), (), ()) for x in picked)
        return Observation(self._error if step.capture else None, calls)


def judged(replay: Replay, error: ErrorSeen | None = None) -> Finding:
    """Return what the check says."""
    return Capture().run(Recording(replay, error))  # type: ignore[arg-type]


def test_replays_that_read_their_own_inputs_pass() -> None:
    """Each replay computes from what the memory holds then; the number stays that of the capture."""
    assert judged(lambda inputs, n: inputs[n]).outcome is Outcome.PASSED


@pytest.mark.parametrize("reads", [0, 1])
def test_work_outside_the_graph_shows_in_a_replay(reads: int) -> None:
    """A graph that leaves out the work, or does it right only once, leaves an older result."""
    finding = judged(lambda inputs, n: inputs[min(n, reads)])
    assert finding.outcome is Outcome.FAILED
    assert "replayed as a CUDA graph" in finding.message


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("CUDA error: operation not permitted when stream is capturing", "nothing may wait"),
        ("capture_end: cudaErrorStreamCaptureUnjoined", "forked and not joined"),
    ],
)
def test_refused_capture_is_explained(said: str, advice: str) -> None:
    """The error's own words are shown, with what they mean."""
    finding = judged(lambda inputs, n: inputs[n], ErrorSeen("call", 0, "RuntimeError", said))
    assert finding.outcome is Outcome.FAILED
    assert said in finding.message
    assert advice in finding.message
