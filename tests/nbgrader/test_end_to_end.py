"""From the authored lesson to marks and feedback with nbgrader's own commands and the real judge."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from toy_course import cell

from grader.nbgrader.marks import Mark, marks
from grader.nbgrader.quickstart import quickstart
from grader.nbgrader.release import REPOSITORY

LESSON = "02_load_inline"
SUBMISSIONS = REPOSITORY / "tests" / "submissions" / "add_relu"


@pytest.fixture
def toy_registry() -> None:
    """Leave the real registry in place."""


def _nbgrader(course: Path, *arguments: str) -> None:
    """Run one of nbgrader's commands as an instructor does."""
    ran = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course, capture_output=True, text=True, env=os.environ | {"PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr


def _submit(course: Path, student: str, stem: str | None) -> None:
    """Hand in the released notebook with an answer of the corpus."""
    notebook = nbformat.read(course / "release" / LESSON / f"{LESSON}.ipynb", as_version=4)
    if stem:
        source = (SUBMISSIONS / f"{stem}.cu").read_text(encoding="utf-8")
        cell(notebook, "add_relu").source = f"%%cuda add_relu\n{source}"
    path = course / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


def test_a_class_is_graded(tmp_path: Path) -> None:
    """Right, wrong, crashing and untouched hand-ins get their marks and reasons, in one batch."""
    course = tmp_path / "course"
    quickstart(course)
    _nbgrader(course, "generate_assignment", LESSON)
    hand_ins = {
        "right": "right__current_stream_contiguous",
        "strides": "wrong__close__missing_contiguous",
        "crash": "wrong__close__null_pointer_on_the_host",
        "untouched": None,
    }
    for student, stem in hand_ins.items():
        _submit(course, student, stem)
    _nbgrader(course, "autograde", LESSON)
    _nbgrader(course, "generate_feedback", LESSON)
    rows = {row.student: row for row in marks(course) if row.exercise == "add_relu"}
    assert rows["right"] == Mark("right", LESSON, "add_relu", 11.0, 11.0, "")
    for student in ("strides", "crash"):
        score = rows[student].score
        assert score is not None
        assert score < 11.0
        assert "close (-4): " in rows[student].reason
    assert "not run (-7): rejects, inputs, stream_race" in rows["crash"].reason
    assert (rows["untouched"].score, rows["untouched"].reason) == (0.0, "The answer is as it was released.")
    page = (course / "feedback" / "strides" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "Call .contiguous() first." in page
