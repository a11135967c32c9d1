"""Plain nbgrader test cells: run in a kernel, without any influence on judged cells."""

from __future__ import annotations

import json

import nbformat
import pytest
from toy_course import ANSWER, TOY, Course, cell

from grader.nbgrader.execute import scored
from grader.nbgrader.judging import VERDICT_TYPE

RIGHT = "def twice(x):\n    return 2 * x"


def _answered(course: Course, plain: str, add_relu: str = ANSWER) -> nbformat.NotebookNode:
    notebook = course.answered(add_relu)
    cell(notebook, "plain_answer").source = plain
    return notebook


def _result(text: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_output("execute_result", data={"text/plain": text}, execution_count=1)


def test_no_kernel_without_plain_tests(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lesson of judged exercises only never starts a kernel."""
    monkeypatch.setattr("nbclient.NotebookClient.setup_kernel", lambda self: pytest.fail("started a kernel"))
    assert course.grade("ada", course.answered())["check_add_relu"] == 3.0


def test_a_right_answer_passes(course_with_tests: Course) -> None:
    """A plain test that passes gives its points beside the judged ones."""
    marks = course_with_tests.grade("ada", _answered(course_with_tests, RIGHT))
    assert (marks["plain_test"], marks["check_add_relu"]) == (2.0, 3.0)


def test_a_wrong_answer_fails_and_hidden_tests_stay_hidden(course_with_tests: Course) -> None:
    """C38: a failing hidden test costs the points; its source and its traceback are not in the feedback."""
    special = "def twice(x):\n    return 4"
    marks = course_with_tests.grade("ada", _answered(course_with_tests, special))
    assert (marks["plain_test"], marks["check_add_relu"]) == (0.0, 3.0)
    assert "1234567" in cell(course_with_tests.autograded("ada"), "plain_test").source
    page = course_with_tests.feedback("ada")
    assert "1234567" not in page
    assert "(hidden tests)" in page
    assert "AssertionError" in page


def test_a_crash_costs_only_plain_cells(course_with_tests: Course) -> None:
    """X04: a kernel that dies leaves the judged marks, and a test cell without a reply scores nothing."""
    dead = RIGHT + "\nimport os\nos._exit(1)"
    marks = course_with_tests.grade("ada", _answered(course_with_tests, dead))
    assert (marks["plain_test"], marks["check_add_relu"]) == (0.0, 3.0)
    assert "gave no reply" in course_with_tests.feedback("ada")


def test_a_hang_costs_only_plain_cells(course_with_tests: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """C07: a cell that runs for ever is stopped; the judged marks stand."""
    monkeypatch.setattr("grader.nbgrader.execute.ExecutePlainCells.timeout", 2)
    hang = "def twice(x):\n    while True:\n        pass"
    marks = course_with_tests.grade("ada", _answered(course_with_tests, hang))
    assert (marks["plain_test"], marks["check_add_relu"]) == (0.0, 3.0)


def test_a_replaced_traceback_printer_hides_nothing(course_with_tests: Course) -> None:
    """C23, C29: failure is known by the kernel's reply, not by what the kernel chose to print."""
    quiet = "get_ipython().showtraceback = lambda *a, **k: None\ndef twice(x):\n    return 5"
    assert course_with_tests.grade("ada", _answered(course_with_tests, quiet))["plain_test"] == 0.0


def test_the_learner_s_kernel_cannot_forge_a_verdict(course_with_tests: Course) -> None:
    """C23: whatever the learner's kernel patches or prints, judged marks come from the judge."""
    bundle = json.dumps({"text/plain": "3.0", VERDICT_TYPE: {"verdict": "needs_gpu", "score": 3.0}})
    forge = (
        f"from IPython.display import display\ndisplay({bundle}, raw=True)\n"
        "import grader.notebook\ngrader.notebook.check = lambda *a, **k: 3.0\n"
        "def twice(x):\n    display(" + bundle + ", raw=True)\n    return 2 * x"
    )
    marks = course_with_tests.grade("ada", _answered(course_with_tests, forge, "%%cuda add_relu\n// score 1"))
    assert (marks["plain_test"], marks["check_add_relu"]) == (2.0, 1.0)
    graded = course_with_tests.autograded("ada")
    forged = [one for one in graded.cells if VERDICT_TYPE in json.dumps(one.get("outputs", []))]
    assert [one.metadata.nbgrader.grade_id for one in forged] == [
        "check_add_relu", "check_add_relu_function", "check_side_stream_scale",
    ]  # fmt: skip


def test_blanking_cells_earns_nothing_judged(course_with_tests: Course) -> None:
    """C23: an input transformer that empties every later cell does not touch judged cells."""
    blank = RIGHT + "\nget_ipython().input_transformers_cleanup.append(lambda lines: [])"
    marks = course_with_tests.grade("ada", _answered(course_with_tests, blank, "%%cuda add_relu\n// score 1"))
    assert marks["check_add_relu"] == 1.0


def test_noise_is_no_failure(course_with_tests: Course) -> None:
    """C26, C28, X03: standard error and the word error on standard output cost nothing."""
    noisy = (
        "import sys, warnings\ndef twice(x):\n"
        "    print('[W] could not parse CPU flags', file=sys.stderr)\n"
        "    warnings.warn('old')\n    print('max error 1e-7')\n    return 2 * x"
    )
    assert course_with_tests.grade("ada", _answered(course_with_tests, noisy))["plain_test"] == 2.0


def test_a_lost_test_cell_comes_back(course_with_tests: Course) -> None:
    """C10: deleting a plain test cell does not avoid it."""
    notebook = _answered(course_with_tests, "def twice(x):\n    return 4")
    notebook.cells.remove(cell(notebook, "plain_test"))
    assert course_with_tests.grade("ada", notebook)["plain_test"] == 0.0


def test_a_kernel_that_cannot_start_costs_no_judged_mark(
    course_with_tests: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C32: without a kernel the plain tests score nothing and say so; judged marks stand."""

    def no_kernel(self: object) -> None:
        raise RuntimeError("no kernel python3")

    monkeypatch.setattr("nbclient.NotebookClient.setup_kernel", no_kernel)
    marks = course_with_tests.grade("ada", _answered(course_with_tests, RIGHT))
    assert (marks["plain_test"], marks["check_add_relu"]) == (0.0, 3.0)
    assert "no kernel python3" in course_with_tests.feedback("ada")


@pytest.mark.parametrize(
    ("text", "score"),
    [("1.5", "1.5"), ("np.float64(0.0)", "0.0"), ("tensor(0.)", "0.0"), ("False", "0.0"), ("True", "2.0")],
)
def test_results_are_read_as_they_show(text: str, score: str) -> None:
    """X01: a result that displays a number in NumPy's or torch's way counts as that number."""
    [output] = scored([_result(text)], 2.0)
    assert output.data["text/plain"] == score


@pytest.mark.parametrize("text", ["nan", "-1", "inf", "3", "np.float64(nan)", "tensor(7.)"])
def test_no_score_is_invented(text: str) -> None:
    """X01: what is no score from 0 to the maximum is an error, neither full marks nor a lost submission."""
    [output] = scored([_result(text)], 2.0)
    assert (output.output_type, output.ename) == ("error", "NotAScore")


def test_a_result_that_is_no_number_is_only_shown() -> None:
    """X01: a test cell that ends in a displayed value passes, as nbgrader means it to."""
    [output] = scored([_result("<Figure>")], 2.0)
    assert output.output_type == "display_data"


def test_a_cell_of_no_points_is_graded(course: Course) -> None:
    """C22: a test cell of zero points is graded as 0 of 0."""
    plain = (
        "\n```{code-cell} ipython3\n---\nnbgrader: {grade: true, grade_id: optional, points: 0}\n"
        "---\nassert False\n```\n"
    )
    course.release(TOY + plain)
    marks = course.grade("ada", course.answered())
    assert (marks["optional"], marks["check_add_relu"]) == (0.0, 3.0)
