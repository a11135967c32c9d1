"""Stored verdicts, and the report that compares them check by check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.agreement.corpus import Submission, read_submission
from grader.agreement.report import Report
from grader.agreement.results import Result, Results, disagreements

MACHINE = {"torch": "2.11", "gpu": "H200", "grader": "abc"}


def submission(folder: Path, stem: str, also: str = "") -> Submission:
    """Write a submission and read it back."""
    path = folder / "toy" / f"{stem}.cu"
    path.parent.mkdir(exist_ok=True)
    path.write_text("// Reason: because.\n" + (f"// Also fails: {also}\n" if also else "") + "int x;\n")
    return read_submission(path)


def result(entry: Submission, device: str, **checks: str) -> Result:
    """Return what a device said, each check with a message of its own."""
    whole = "failed" if "failed" in checks.values() else "passed"
    listed: list[dict[str, Any]] = [
        {"name": name, "verdict": verdict, "message": f"{name} on {device}"}
        for name, verdict in checks.items()
    ]
    verdict = {"verdict": whole, "message": "", "checks": listed}
    return Result(entry.name, entry.digest, device, MACHINE, verdict, seconds=1.5)


def report(*rows: tuple[Submission, Result | None, Result | None]) -> Report:
    """Return a report on `sim` and `cuda`."""
    results = Results()
    for _, *given in rows:
        for one in given:
            if one:
                results.add(one)
    return Report.of("2026-01-02", ("sim", "cuda"), [row[0] for row in rows], results)


def test_devices_that_agree_give_a_report_that_agrees(tmp_path: Path) -> None:
    """Equal and promised verdicts agree, and the table shows one word for both devices."""
    right = submission(tmp_path, "right__a")
    wrong = submission(tmp_path, "wrong__close__b", also="memory")
    made = report(
        (right, result(right, "sim", close="passed"), result(right, "cuda", close="passed")),
        (wrong, result(wrong, "sim", close="failed", memory="failed"),
         result(wrong, "cuda", close="failed", memory="failed")),
    )  # fmt: skip
    assert made.agrees
    assert "2 alike in every check, 2 as the corpus promises" in made.summary()
    assert "| wrong__close__b | FAIL | FAIL | 1.5 / 1.5 |" in made.to_markdown()


def test_check_that_differs_is_named_with_what_both_devices_said(tmp_path: Path) -> None:
    """One check that came out differently is a disagreement even where the whole verdict is the same."""
    wrong = submission(tmp_path, "wrong__close__b")
    sim = result(wrong, "sim", close="failed", memory="failed")
    cuda = result(wrong, "cuda", close="failed", memory="passed")
    made = report((wrong, sim, cuda))
    assert disagreements(sim, cuda) == ("memory",)
    assert not made.agrees
    text = made.to_markdown()
    assert "`toy/wrong__close__b`, check `memory`" in text
    assert "sim: failed. memory on sim" in text
    assert "cuda: passed. memory on cuda" in text


def test_agreeing_on_the_wrong_verdict_is_not_agreement(tmp_path: Path) -> None:
    """Two devices that both pass a wrong submission are reported as breaking the corpus's promise."""
    wrong = submission(tmp_path, "wrong__close__b")
    made = report((wrong, result(wrong, "sim", close="passed"), result(wrong, "cuda", close="passed")))
    assert not made.agrees
    assert "must fail close, failed nothing" in made.to_markdown()


def test_missing_verdict_is_not_agreement(tmp_path: Path) -> None:
    """A submission that one device has not judged keeps the report from agreeing."""
    right = submission(tmp_path, "right__a")
    made = report((right, result(right, "sim", close="passed"), None))
    assert not made.agrees
    assert made.rows[0].differing == ()
    assert "| right__a | pass / ? | 1.5 / ? |" in made.to_markdown()


def test_error_is_neither_promised_nor_agreement(tmp_path: Path) -> None:
    """A judge that gave no verdict on one device counts as a disagreement, with its words."""
    right = submission(tmp_path, "right__a")
    broken = Result(right.name, right.digest, "cuda", MACHINE, error="no nvcc")
    made = report((right, result(right, "sim", close="passed"), broken))
    assert not made.agrees
    assert "no nvcc" in made.to_markdown()


def test_machine_that_cannot_judge_is_one_line(tmp_path: Path) -> None:
    """A device whose machine failed is one disagreement with its reason, not one for each check."""
    right = submission(tmp_path, "right__a")
    verdict = {"verdict": "environment", "message": "nvcc was not found.", "checks": []}
    cuda = Result(right.name, right.digest, "cuda", MACHINE, verdict)
    made = report((right, result(right, "sim", close="passed", memory="passed"), cuda))
    differences = made.to_markdown().split("## Disagreements")[1].split("## Verdicts")[0]
    assert differences.count("- `toy/right__a`") == 1
    assert "cuda: environment. nvcc was not found." in differences


def test_results_survive_a_kill_and_an_edit_voids_them(tmp_path: Path) -> None:
    """A store with a line cut short is read; a result of other source text is not taken for this one's."""
    right = submission(tmp_path, "right__a")
    store = tmp_path / "results.jsonl"
    Results(store).add(result(right, "sim", close="passed"))
    with store.open("a") as stream:
        stream.write('{"name": "toy/ri')
    read = Results.read(store)
    assert read.of(right, "sim") is not None
    right.path.write_text("// Reason: another.\n")
    assert read.of(right, "sim") is None


def test_json_holds_both_verdicts_in_full(tmp_path: Path) -> None:
    """The JSON beside the report can be read back and holds each device's verdict."""
    right = submission(tmp_path, "right__a")
    made = report((right, result(right, "sim", close="passed"), result(right, "cuda", close="passed")))
    data = json.loads(json.dumps(made.to_json()))
    assert data["agrees"] is True
    assert data["machines"]["cuda"] == [MACHINE]
    assert data["submissions"][0]["results"]["cuda"]["verdict"]["checks"][0]["name"] == "close"


@pytest.mark.parametrize("device", ["sim", "cuda"])
def test_right_submission_must_pass(tmp_path: Path, device: str) -> None:
    """A right submission that fails or needs a GPU is not as promised."""
    right = submission(tmp_path, "right__a")
    assert result(right, device, close="passed").is_as_promised(right)
    assert not result(right, device, close="failed").is_as_promised(right)
