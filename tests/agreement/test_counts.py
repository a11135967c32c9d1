"""The corpus in counts: nothing that is not as expected can hide in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.agreement.corpus import Submission, read_submission
from grader.agreement.counts import Counts, table
from grader.agreement.report import Report
from grader.agreement.results import Result, Results


def submission(folder: Path, stem: str) -> Submission:
    """Write a submission and read it back."""
    path = folder / "toy" / f"{stem}.cu"
    path.parent.mkdir(exist_ok=True)
    path.write_text("// Reason: because.\n")
    return read_submission(path)


def result(entry: Submission, outcome: str, failing: str | None = None) -> Result:
    """Return a verdict, with one check that failed."""
    checks = [{"name": failing, "verdict": "failed", "message": ""}] if failing else []
    verdict = {"verdict": outcome, "message": "", "checks": checks}
    return Result(entry.name, entry.digest, "sim", {}, verdict, seconds=2.0)


@pytest.mark.parametrize(
    ("stem", "outcome", "failing", "heading"),
    [
        ("right__a", "passed", None, "expected"),
        ("right__a", "failed", "close", "false_fails"),
        ("wrong__close__a", "failed", "close", "expected"),
        ("wrong__close__a", "passed", None, "false_passes"),
        ("wrong__close__a", "failed", "memory", "other_checks"),
        ("wrong__close__a", "environment", None, "unjudged"),
        ("right__a", "environment", None, "unjudged"),
    ],
)
def test_each_submission_stands_under_one_heading(
    tmp_path: Path, stem: str, outcome: str, failing: str | None, heading: str
) -> None:
    """A wrong answer that passes and a right one that fails are named; a machine's fault is no verdict."""
    entry = submission(tmp_path, stem)
    found = Counts.of([(entry, result(entry, outcome, failing))])
    headings = ("expected", "false_passes", "false_fails", "other_checks", "unjudged")
    assert {name: getattr(found, name) for name in headings} == {
        name: int(name == heading) for name in headings
    }
    assert (found.right, found.wrong) == ((1, 0) if stem.startswith("right") else (0, 1))


def test_table_names_what_is_not_as_expected(tmp_path: Path) -> None:
    """Every surprise, and every submission without a verdict, has a line of its own below the counts."""
    fine, bad, absent = (submission(tmp_path, f"wrong__close__{slug}") for slug in ("a", "b", "c"))
    results = Results()
    results.add(result(fine, "failed", "close"))
    results.add(result(bad, "passed"))
    text = table(Report.of("2026-01-02", ("sim",), (fine, bad, absent), results), jobs=2)
    assert "| **all** | 0 | 3 | 1 | 1 | 0 | 0 | 1 | 4 |" in text
    assert "`toy/wrong__close__b`: passed; must fail close, failed nothing." in text
    assert "`toy/wrong__close__c`: not judged" in text
    assert "`toy/wrong__close__a`" not in text
