"""`grader agree` from its arguments to the files that it writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.agreement import command
from grader.agreement.lanes import Task
from grader.agreement.results import Result

MACHINE = {"gpu": "NVIDIA H200", "grader": "abc"}


class Devices:
    """Stands in for the lanes: gives the verdict that the corpus promises, and remembers what was asked."""

    def __init__(self) -> None:
        """Pass nothing wrongly until told so."""
        self.asked: list[tuple[str, str]] = []
        self.wrong_on: set[str] = set()

    def judge_all(self, tasks: Iterable[Task], machine: dict[str, str], **_: Any) -> Iterator[Result]:
        """Judge as promised, except on the devices in `wrong_on`."""
        for task in tasks:
            self.asked.append((task.submission.path.stem, task.device))
            failing = () if task.device in self.wrong_on else task.submission.failing
            checks = [{"name": name, "verdict": "failed", "message": "because"} for name in failing]
            verdict = {"verdict": "failed" if failing else "passed", "message": "", "checks": checks}
            yield Result(task.submission.name, task.submission.digest, task.device, machine, verdict)


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> Devices:
    """Judge on stand-ins for both devices."""
    stand_in = Devices()
    monkeypatch.setattr(command, "judge_all", stand_in.judge_all)
    monkeypatch.setattr(command, "describe", lambda: MACHINE)
    monkeypatch.setattr(command, "prepare", lambda: None)
    return stand_in


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """Two submissions, and where the report goes."""
    folder = tmp_path / "submissions" / "toy"
    folder.mkdir(parents=True)
    (folder / "right__a.cu").write_text("// Reason: because.\n")
    (folder / "wrong__close__b.cu").write_text("// Reason: because.\n")
    where = ["--submissions", str(folder.parent), "--out", str(tmp_path / "out"), "--date", "2026-01-02"]
    return [*where, "--jobs", "1"]


def test_agreement_is_status_zero_and_two_files(
    devices: Devices, arguments: list[str], tmp_path: Path
) -> None:
    """When all is as promised the status is 0 and the report carries date and GPU in its name."""
    assert command.main(arguments) == 0
    assert len(devices.asked) == 4
    assert (
        (tmp_path / "out" / "2026-01-02-nvidia-h200.md").read_text().startswith("# Agreement of sim and cuda")
    )
    assert json.loads((tmp_path / "out" / "2026-01-02-nvidia-h200.json").read_text())["agrees"] is True


def test_a_table_is_written_where_it_is_asked_for(
    devices: Devices, arguments: list[str], tmp_path: Path
) -> None:
    """`--table` makes the directory that it names: what took an hour is not lost at its end."""
    table = tmp_path / "not" / "yet" / "corpus.md"
    assert command.main([*arguments, "--table", str(table)]) == 0
    assert table.read_text().startswith("# The corpus")


def test_a_missing_earlier_file_is_told_first(
    devices: Devices, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that `--earlier` names and that is not there is wrong usage, before anything is judged."""
    assert command.main([*arguments, "--earlier", "/nowhere/results.jsonl"]) == 2
    assert "/nowhere/results.jsonl" in capsys.readouterr().err
    assert devices.asked == []


def test_second_run_judges_nothing_again(devices: Devices, arguments: list[str]) -> None:
    """An interrupted run continues: what is stored is not judged a second time."""
    command.main(arguments)
    devices.asked.clear()
    assert command.main(arguments) == 0
    assert devices.asked == []


def test_results_of_another_grader_are_judged_again(
    devices: Devices, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of the grader voids what is stored, unless --keep says otherwise."""
    command.main(arguments)
    devices.asked.clear()
    monkeypatch.setattr(command, "describe", lambda: {**MACHINE, "grader": "def"})
    assert command.main([*arguments, "--keep"]) == 0
    assert devices.asked == []
    command.main(arguments)
    assert len(devices.asked) == 4


def test_surprise_is_judged_once_more_and_is_status_one(devices: Devices, arguments: list[str]) -> None:
    """A wrong submission that passes on one device is tried again alone, and then reported."""
    devices.wrong_on.add("cuda")
    assert command.main(arguments) == 1
    assert devices.asked.count(("wrong__close__b", "cuda")) == 2
    assert devices.asked.count(("right__a", "cuda")) == 1


def test_simulator_is_not_asked_twice(devices: Devices, arguments: list[str]) -> None:
    """The simulator gives the same verdict every time, so its surprises are not judged again."""
    devices.wrong_on.add("sim")
    assert command.main(arguments) == 1
    assert devices.asked.count(("wrong__close__b", "sim")) == 1


def test_stored_only_device_is_not_judged(devices: Devices, arguments: list[str]) -> None:
    """Results of another machine can be merged without judging that device here."""
    command.main([*arguments, "--stored-only", "sim"])
    assert {device for _, device in devices.asked} == {"cuda"}


def test_only_selects_by_name(
    devices: Devices, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """--only narrows the corpus; a text that no name holds is a usage error."""
    assert command.main([*arguments, "--only", "right__"]) == 0
    assert {stem for stem, _ in devices.asked} == {"right__a"}
    assert command.main([*arguments, "--only", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


def test_missing_corpus_is_status_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without submissions is a usage error with one clear line."""
    assert command.main(["--submissions", str(tmp_path)]) == 2
    assert "no submissions" in capsys.readouterr().err
