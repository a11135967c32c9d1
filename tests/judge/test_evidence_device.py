"""Which device decides: the simulator after undefined behaviour, else the one that was asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from grader.exercise import Case
from grader.judge.answer import Answer
from grader.judge.evidence_device import is_undefined
from grader.judge.observation import Observation
from grader.judge.session import Judge, _Trial


def bench(*kinds: str) -> Any:
    """Return a bench whose only run was reported on in these ways."""
    seen = Observation(None, (), reports=tuple({"kind": kind} for kind in kinds))
    run = SimpleNamespace(case=Case("one", (1,)), seen=seen)
    return SimpleNamespace(runs=lambda: (run,), exercise=SimpleNamespace(checks=()))


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((), False),
        (("out_of_bounds",), True),
        (("wrong_stream", "use_after_free"), True),
        (("leak", "raw_allocation"), False),
        (("launch_error",), False),
    ],
)
def test_only_faults_that_make_values_meaningless_count(kinds: tuple[str, ...], expected: bool) -> None:
    """A leak or a wrong stream leaves plain values what they are; an access out of bounds does not."""
    assert is_undefined(bench(*kinds)) is expected


def test_without_the_simulators_run_nothing_is_known() -> None:
    """An answer that only a GPU can run is judged by the GPU."""
    assert not is_undefined(None)


@pytest.mark.parametrize(("kinds", "device"), [((), "cuda"), (("misaligned",), "sim")])
def test_values_come_from_the_simulator_after_undefined_behaviour(
    kinds: tuple[str, ...], device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Luck on today's card neither gives nor takes marks."""
    trial = _Trial(Judge(), "add_relu", Answer(cuda=""), "cuda", 0, exact=False)
    monkeypatch.setattr(trial, "_bench", lambda exercise, kind: bench(*kinds))
    assert trial._trusted(None, "cuda") == device  # type: ignore[arg-type]
    assert trial._trusted(None, "sim") == "sim"  # type: ignore[arg-type]
