"""A judge that is kept warm builds the same source once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.judge import building
from grader.judge.building import Building
from grader.toolchain import machine


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Building]:
    """The builds that started a process, which say that they made a library or failed."""
    begun: list[Building] = []

    def start(self: Building, confined: bool) -> None:
        self._temporary = tmp_path / "unused"
        begun.append(self)

    def wait(self: Building) -> dict[str, Any]:
        return {"ok": "error" not in self._request, "library": str(tmp_path / "module.so")}

    (tmp_path / "module.so").touch()
    monkeypatch.setattr(building, "_built", {})
    monkeypatch.setattr(Building, "_start", start)
    monkeypatch.setattr(Building, "_wait", wait)
    return begun


def made(source: str) -> dict[str, Any]:
    """Build a source and return the result."""
    build = Building({"device": "sim", "cuda": source})
    result = build.result()
    build.cancel()
    return result


def test_same_source_is_built_once(started: list[Building], tmp_path: Path) -> None:
    """A second build of the same request starts no process; another request, or a lost library, does."""
    assert made("a") == made("a")
    assert len(started) == 1
    made("b")
    assert len(started) == 2
    (tmp_path / "module.so").unlink()
    made("a")
    assert len(started) == 3


def test_failed_build_is_tried_again(started: list[Building]) -> None:
    """What did not build may build the next time: a header may have come."""
    made("error")
    made("error")
    assert len(started) == 2


def test_memory_is_bounded(started: list[Building]) -> None:
    """A judge that sees many sources forgets the oldest."""
    for number in range(building._REMEMBERED + 10):
        made(str(number))
    assert len(building._built) == building._REMEMBERED


def test_a_confined_build_is_told_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets what the judge found; one that is not confined looks for itself."""
    environments: list[dict[str, str]] = []

    class Started(subprocess.Popen[str]):
        def __init__(self, command: list[str], **options: Any) -> None:
            if "grader.toolchain" in command:
                environments.append(dict(options["env"]))
                command = [sys.executable, "-c", "print('{\"ok\": false}')"]
            super().__init__(command, **options)

    monkeypatch.setattr(building.subprocess, "Popen", Started)
    monkeypatch.delenv(machine.VARIABLE, raising=False)
    for confined in (True, False):
        Building({"device": "sim", "cuda": f"confined {confined}"}, confined).result()
    confined_one, free = environments
    assert confined_one[machine.VARIABLE] == machine.found("sim")
    assert machine.VARIABLE not in free
