"""Check cells under nbgrader's validator, in a real kernel with a judge of straw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.validator import Validator
from toy_course import Course, cell

JUDGE = """
import fake_course_judge
from grader.notebook.session import SESSION
SESSION.make_judge = fake_course_judge.FakeJudge
from grader.notebook import declarations
from grader.notebook.declarations import Declared
DECLARED = [Declared("add_relu", "02_toy", POINTS, (), ("cuda",))]
declarations.known = lambda: {one.id: one for one in DECLARED}
from grader.notebook import magic
from grader.notebook.building import Built
magic.build = lambda *arguments: Built(None, (), (), 0.0, False)
from grader import check
"""


def _validated(
    course: Course, monkeypatch: pytest.MonkeyPatch, answer: str, points: float = 3.0
) -> dict[str, Any]:
    """Return what the validator finds in a notebook with one exercise."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    notebook = course.answered(answer)
    kept = (cell(notebook, "add_relu"), cell(notebook, "check_add_relu"))
    notebook.cells = [nbformat.v4.new_code_cell(JUDGE.replace("POINTS", str(points))), *kept]
    path = course.root / "validated.ipynb"
    nbformat.write(notebook, path)
    return dict(Validator().validate(str(path)))


@pytest.mark.parametrize("points", [3, 30, 2])
def test_a_passing_check_validates(course: Course, monkeypatch: pytest.MonkeyPatch, points: int) -> None:
    """C20: a passing verdict passes, also when the declaration's points are no longer those of the cell."""
    assert _validated(course, monkeypatch, f"%%cuda add_relu\n// score {points}", float(points)) == {}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("%%cuda add_relu\n// score 1", "expected 2"),
        ('%%cuda add_relu\n#error "add_relu: not attempted yet"', "not attempted"),
        ("%%cuda add_relu\n// environment", "said environment"),
    ],
)
def test_a_check_that_does_not_pass_fails(
    course: Course, monkeypatch: pytest.MonkeyPatch, answer: str, reason: str
) -> None:
    """Partial credit, an untouched cell and a machine in trouble fail, with the reason in words."""
    [failed] = _validated(course, monkeypatch, answer)["failed"]
    assert failed["source"] == 'check("add_relu")'
    assert reason in failed["raw_error"]
