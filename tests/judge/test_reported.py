"""Reports from a worker: what the engine writes arrives, and what nobody's engine writes is refused."""

from __future__ import annotations

from typing import Any

import pytest

from grader.judge.protocol import ProtocolError
from grader.judge.reported import reported

RACE: dict[str, Any] = {
    "kind": "data_race",
    "kernel": "k",
    "index": 3,
    "block": [0, 0, 0],
    "stack": ["module+0x12"],
    "other": {"access": "write", "thread": [1, 0, 0], "line": 7},
}


def test_a_report_arrives_as_it_was_sent() -> None:
    """Known keys keep their values, those of the earlier access too."""
    assert reported(RACE) == RACE


def test_what_is_unknown_or_left_open_is_absent() -> None:
    """Keys of nobody's, nulls, and an earlier access of the earlier access are dropped."""
    nested = {**RACE["other"], "other": {"line": 1}}
    assert reported({**RACE, "invented": 1, "line": None, "other": nested}) == RACE


@pytest.mark.parametrize(
    "forged",
    [
        [],
        {"index": "3"},
        {"index": True},
        {"index": 1.5},
        {"numel": 1 << 70},
        {"message": 3},
        {"block": [0, 0, 0, 0]},
        {"thread": ["0"]},
        {"stack": ["module+0x1"] * 300},
        {"other": {"line": "7"}},
    ],
    ids=str,
)
def test_a_value_of_another_type_is_refused(forged: Any) -> None:
    """Messages and pictures compute with these values, so a forged one never gets there."""
    with pytest.raises(ProtocolError):
        reported(forged)
