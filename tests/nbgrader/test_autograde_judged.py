"""Autograding of judged cells through nbgrader's own converter."""

from __future__ import annotations

from toy_course import ANSWER, Course, cell


def test_verdicts_become_marks(course: Course) -> None:
    """Each exercise's verdict must reach the gradebook as its mark."""
    assert course.grade("ada", course.answered()) == {
        "check_add_relu": 3.0, "check_add_relu_function": 0.0, "check_side_stream_scale": 0.0,
    }  # fmt: skip
