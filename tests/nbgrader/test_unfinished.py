"""A grading that was cut off is done again."""

from __future__ import annotations

from toy_course import LESSON, Course

from grader.nbgrader.unfinished import FOLDER, Grading


def test_a_cut_off_grading_is_done_again(course: Course) -> None:
    """A copy without its marks, whose process is gone, does not keep the submission from being graded."""
    assert course.grade("ada", course.answered())["check_add_relu"] == 3.0
    assert list((course.root / FOLDER).iterdir()) == []
    (course.root / FOLDER / f"{LESSON}:ada").touch()
    course.submit("ada", course.released())
    course.autograde()
    assert course.scores("ada")["check_add_relu"] == 0.0


def test_a_grading_under_way_is_left_alone(course: Course) -> None:
    """While another process, which holds the lock, grades a submission, its copy stays."""
    assert course.grade("ada", course.answered())["check_add_relu"] == 3.0
    grading = Grading(course.root)
    notebooks = [str(course.root / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb")]
    grading.begin(LESSON, "*", notebooks)
    course.config()
    assert (course.root / "autograded" / "ada" / LESSON).exists()
    grading.end(LESSON, "*", notebooks)
