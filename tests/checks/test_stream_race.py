"""Evidence for `stream_race` that only a GPU gives, judged from what a worker would say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader import exercises
from grader.checks.base import Drawn
from grader.checks.stream_race import StreamRace
from grader.exercise import Case, Draw
from grader.judge.observation import CallSeen, Observation, OutputSeen
from grader.judge.protocol import Step
from grader.verdict import Outcome


class Replaying:
    """A bench whose worker replays a graph: by-value arguments stay as they were at capture."""

    kind = "cuda"

    def __init__(self, replayed: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
        """Let `replayed` say which input a replay reads, of the captured and the new one."""
        self.exercise, self._replayed = exercises.get("side_stream_scale"), replayed

    def draw(self, case: Case, *labels: str) -> Drawn:
        """Return what the exercise draws for the labels."""
        return self.expect(case, self.exercise.inputs(case, Draw(5, *labels)))

    def expect(self, case: Case, arguments: tuple[Any, ...]) -> Drawn:
        """Return the arguments with their float64 result."""
        x, alpha = arguments
        return Drawn(case, arguments, self.exercise.reference(x.double(), alpha))

    def observe(self, step: Step) -> Observation:
        """Scale the input by the first call's number."""
        first, last = step.calls[0], step.calls[-1]
        x = self._replayed(first[0], last[0]) if step.capture else first[0]
        seen = CallSeen("tensor", (OutputSeen(x * first[1], "cuda:0", ()),), (), ())
        return Observation(None, (seen,) * len(step.calls))


def test_a_replay_keeps_the_numbers_of_its_capture() -> None:
    """A graph that reads the new tensor and the captured number is right: CUDA keeps by-value arguments."""
    assert StreamRace()._replayed(Replaying(lambda captured, new: new)) is None


def test_a_launch_outside_the_graph_is_seen_when_it_is_replayed() -> None:
    """A graph without the kernel leaves the captured call's result, and that fails."""
    finding = StreamRace()._replayed(Replaying(lambda captured, new: captured))
    assert finding is not None
    assert finding.outcome is Outcome.FAILED
    assert "replayed as a CUDA graph" in finding.message


def test_two_draws_differ_in_the_number() -> None:
    """The exercise draws another number for each call, or the tests above would show nothing."""
    bench = Replaying(lambda captured, new: new)
    case = StreamRace().case
    assert bench.draw(case, "replay", "0").arguments[1] != pytest.approx(
        bench.draw(case, "replay", "1").arguments[1]
    )
