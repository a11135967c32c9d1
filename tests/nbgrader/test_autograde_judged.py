"""Judged cells through nbgrader's own autograde and feedback."""

from __future__ import annotations

import json

import fake_course_judge
import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.converters.base import NbGraderException
from toy_course import ANSWER, LESSON, Course, cell

from grader.nbgrader.judging import VERDICT_TYPE
from grader.nbgrader.seed import SEED_FILE

UNTOUCHED = {"check_add_relu": 0.0, "check_add_relu_function": 0.0, "check_side_stream_scale": 0.0}


def test_verdicts_become_marks(course: Course) -> None:
    """Each exercise's verdict reaches the gradebook as its mark."""
    notebook = course.answered()
    cell(notebook, "add_relu_function").source = "%%cuda add_relu_function\n// all my work"
    cell(notebook, "add_relu_function-py").source = "# answer: add_relu_function\n# score 1"
    expected = UNTOUCHED | {"check_add_relu": 3.0, "check_add_relu_function": 1.0}
    assert course.grade("ada", notebook) == expected


def test_the_answer_reaches_the_judge_as_text(course: Course) -> None:
    """The judge gets the cell without its magic line, the device, and a seed that is not the public one."""
    course.grade("ada", course.answered())
    [(exercise, texts, device, seed)] = fake_course_judge.CALLS
    assert (exercise, device) == ("add_relu", "sim")
    assert texts == {"cuda": ANSWER.split("\n", 1)[1]}
    assert seed is not None
    assert seed > 1 << 32


def test_a_released_notebook_is_not_attempted(course: Course) -> None:
    """Stubs and starter code as released score nothing, without a call of the judge."""
    assert course.grade("ada", course.released()) == UNTOUCHED
    assert fake_course_judge.CALLS == []
    assert "not attempted" in course.feedback("ada")


def test_a_changed_starter_is_judged(course: Course) -> None:
    """Starter code counts as an answer as soon as it differs from the release."""
    notebook = course.released()
    cell(notebook, "side_stream_scale").source += "\n// score 1"
    assert course.grade("ada", notebook)["check_side_stream_scale"] == 1.0


def test_a_batch_opens_one_judge(course: Course) -> None:
    """All submissions of a batch share one warm judge."""
    for student in ("ada", "bob", "cyd"):
        course.submit(student, course.answered())
    course.autograde()
    assert len(fake_course_judge.OPENED) == 1
    assert [course.scores(student)["check_add_relu"] for student in ("ada", "bob", "cyd")] == [3.0] * 3


def test_no_verdict_comes_from_the_submission(course: Course) -> None:
    """Outputs that a submission carries are dropped, forged verdicts included."""
    notebook = course.released()
    check = cell(notebook, "check_add_relu")
    forged = {"text/plain": "3.0", VERDICT_TYPE: {"verdict": "passed", "score": 3.0}}
    check.outputs = [nbformat.v4.new_output("execute_result", data=forged, execution_count=1)]
    notebook.metadata["grader_notes"] = {"add_relu": ["full marks"]}
    assert course.grade("ada", notebook) == UNTOUCHED
    assert "full marks" not in nbformat.writes(course.autograded("ada"))


def test_lost_points_are_explained_in_the_feedback(course: Course) -> None:
    """The feedback page shows the message, the source line and the points, with learner text escaped."""
    course.grade("ada", course.answered("%%cuda add_relu\n// score 1"))
    page = course.feedback("ada")
    assert "expected 2 &lt;at&gt; index 7, got 1 &amp; more" in page
    assert "3 |     out[i] = 0;" in page
    assert "1 of 3 points" in page


def test_the_feedback_has_the_picture_of_a_memory_fault(course: Course) -> None:
    """What a learner sees in the notebook, the access beyond the array drawn, is in the feedback too."""
    course.grade("ada", course.answered("%%cuda add_relu\n// score 1\n// beyond the end"))
    page = course.feedback("ada")
    assert "Array out has elements 0 to 9. write of out[10]" in page
    assert "data:image/png;base64," in page
    assert '<td style="text-align:left;padding:' in page


def test_feedback_tells_nothing_secret(course: Course) -> None:
    """Neither the course's seed nor the one derived from it, nor a model answer, is in what learners get."""
    course.grade("ada", course.answered("%%cuda add_relu\n// score 1"))
    secret = (course.root / SEED_FILE).read_text().strip()
    [(_, _, _, seed)] = fake_course_judge.CALLS
    for text in (course.feedback("ada"), nbformat.writes(course.autograded("ada"))):
        assert secret not in text
        assert str(seed) not in text
        assert "launch(stream)" not in text


def test_the_machine_s_fault_costs_nobody_a_mark(course: Course) -> None:
    """An environment verdict leaves that submission ungraded and the others graded; a second run mends it."""
    course.submit("ada", course.answered("%%cuda add_relu\n// environment"))
    course.submit("bob", course.answered())
    with pytest.raises(NbGraderException):
        course.autograde()
    assert course.scores("bob")["check_add_relu"] == 3.0
    assert course.scores("ada") == dict.fromkeys(UNTOUCHED, None)
    assert not (course.root / "autograded" / "ada" / LESSON).exists()
    course.submit("ada", course.answered())
    course.autograde()
    assert course.scores("ada")["check_add_relu"] == 3.0


def test_the_machine_s_fault_keeps_an_earlier_mark(course: Course) -> None:
    """A regrade that fails for reasons of the machine leaves the old mark, and asks for a look by hand."""
    course.grade("ada", course.answered())
    course.submit("ada", course.answered("%%cuda add_relu\n// environment"))
    with pytest.raises(NbGraderException):
        course.autograde(force=True)
    assert course.scores("ada")["check_add_relu"] == 3.0
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        assert gradebook.find_submission(LESSON, "ada").needs_manual_grade


def test_what_needs_a_gpu_is_left_to_a_look_by_hand(course: Course) -> None:
    """Such an exercise has no automatic mark; the submission's other marks stand."""
    notebook = course.answered("%%cuda add_relu\n// needs_gpu")
    cell(notebook, "side_stream_scale").source += "\n// score 2"
    expected = UNTOUCHED | {"check_add_relu": None, "check_side_stream_scale": 2.0}
    assert course.grade("ada", notebook) == expected
    assert "needs a GPU" in course.feedback("ada")


def test_without_a_secret_seed_nothing_is_graded(course: Course) -> None:
    """A missing seed file is an error that names the remedy, never a grading with the public seed."""
    (course.root / SEED_FILE).unlink()
    with pytest.raises(NbGraderException):
        course.grade("ada", course.answered())
    assert fake_course_judge.CALLS == []
    assert course.scores("ada") == dict.fromkeys(UNTOUCHED, None)


@pytest.mark.parametrize("text", ["not a notebook", "[1, 2]"])
def test_an_unreadable_notebook_costs_only_itself(
    course: Course, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A submission that is no notebook is reported with the next step; the others of the batch are graded."""
    course.submit("ada", text)
    course.submit("bob", course.answered())
    with pytest.raises(NbGraderException):
        course.autograde()
    assert course.scores("bob")["check_add_relu"] == 3.0
    assert f"ada/{LESSON}/{LESSON}.ipynb: this is not a Jupyter notebook" in caplog.text
    assert "Ask for the .ipynb file again" in caplog.text
    assert "NotJSONError" not in caplog.text


def test_hand_marks_survive_a_regrade(course: Course) -> None:
    """Autograding again changes the automatic mark only."""
    course.grade("ada", course.answered())
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        gradebook.find_grade("check_add_relu", LESSON, LESSON, "ada").manual_score = 1.5
        gradebook.db.commit()
    course.autograde(force=True)
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        assert gradebook.find_grade("check_add_relu", LESSON, LESSON, "ada").score == 1.5


def test_the_autograded_notebook_keeps_the_verdict(course: Course) -> None:
    """The verdict is stored with the check cell, as JSON with the schema of the command line."""
    course.grade("ada", course.answered("%%cuda add_relu\n// score 1"))
    [output] = cell(course.autograded("ada"), "check_add_relu").outputs
    stored = json.loads(json.dumps(output.data[VERDICT_TYPE]))
    assert output.data["text/plain"] == "1.0"
    assert (stored["verdict"], stored["score"], stored["checks"][0]["where"]["line"]) == ("failed", 1.0, 3)


def test_the_formgrader_s_button_grades_too(course: Course) -> None:
    """The formgrader calls nbgrader's API with the same configuration, one student at a time."""
    course.submit("ada", course.answered())
    api = NbGraderAPI(config=course.config())
    assert api.autograde(LESSON, "ada")["success"]
    assert course.scores("ada")["check_add_relu"] == 3.0
