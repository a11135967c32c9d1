"""`device` on two GPUs: what only a race shows there is not put down to the second device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from grader.checks import device
from grader.checks.base import PASSED, failed
from grader.checks.device import Device
from grader.exercise import Case
from grader.judge.protocol import Step


@dataclass
class _Bench:
    """A bench that says for each device whether a call among streams is right there."""

    kind: str
    right: dict[int, bool]
    other: _Bench | None = None

    def beside(self) -> _Bench | None:
        return self.other

    def draw(self, case: Case, purpose: str) -> None:
        return None


@pytest.mark.parametrize(
    ("gpu", "simulator", "passes"),
    [
        ({0: True, 1: True}, {0: True, 1: True}, True),
        ({0: True, 1: False}, {0: True, 1: False}, False),
        ({0: True, 1: False}, {0: False, 1: False}, True),
        ({0: False, 1: False}, {0: False, 1: False}, True),
        ({0: True, 1: False}, {0: True, 1: True}, True),
    ],
)
def test_a_race_on_the_second_gpu_is_not_the_devices_fault(
    monkeypatch: pytest.MonkeyPatch, gpu: dict[int, bool], simulator: dict[int, bool], passes: bool
) -> None:
    """A call among streams that is wrong on the second GPU fails where the simulator agrees."""
    steps = [Step("f", ()), Step("f", (), produce=True)]
    monkeypatch.setattr(Device, "_steps", lambda *_: steps)

    def tried(bench: Any, drawn: Any, step: Step) -> Any:
        return failed("wrong") if step.produce and not bench.right[step.device] else None

    monkeypatch.setattr(device, "_try", tried)
    bench: Any = _Bench("cuda", gpu, _Bench("sim", simulator))
    assert (Device().run(bench) == PASSED) is passes
