"""Submissions whose cells were deleted, doubled, split, moved or tampered with."""

from __future__ import annotations

import copy

import nbformat
import pytest
from toy_course import ANSWER, LESSON, TOY, Course, cell

from grader.nbgrader import release


def _without(notebook: nbformat.NotebookNode, *grade_ids: str) -> nbformat.NotebookNode:
    """Return the notebook without the cells of these ids."""
    notebook.cells = [
        one for one in notebook.cells if one.metadata.get("nbgrader", {}).get("grade_id") not in grade_ids
    ]
    return notebook


def _index(notebook: nbformat.NotebookNode, grade_id: str) -> int:
    return notebook.cells.index(cell(notebook, grade_id))


def test_a_deleted_check_cell_is_put_back(course: Course) -> None:
    """C10: the mark and the maximum are those of the release."""
    assert course.grade("ada", _without(course.answered(), "check_add_relu"))["check_add_relu"] == 3.0
    assert "was missing and was put back" in course.feedback("ada")


def test_all_nbgrader_cells_deleted_is_not_attempted(course: Course) -> None:
    """C10: a submission without any of its cells scores nothing, and is told why."""
    notebook = course.released()
    notebook.cells = notebook.cells[:1]
    assert set(course.grade("ada", notebook).values()) == {0.0}
    assert "The answer cell add_relu is not in the notebook" in course.feedback("ada")


@pytest.mark.parametrize("kind", ["markdown", "raw"])
@pytest.mark.parametrize("grade_id", ["check_add_relu", "add_relu"])
def test_a_changed_cell_type_is_restored(course: Course, kind: str, grade_id: str) -> None:
    """C11: a check or answer cell that became prose is judged as code."""
    notebook = course.answered()
    old = cell(notebook, grade_id)
    make = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_raw_cell
    notebook.cells[_index(notebook, grade_id)] = make(source=old.source, id=old.id, metadata=old.metadata)
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0


def test_a_doubled_check_cell_counts_once(course: Course) -> None:
    """C13: two check cells of one id give one mark."""
    notebook = course.answered()
    notebook.cells.append(copy.deepcopy(cell(notebook, "check_add_relu")))
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0
    assert "occurs 2 times" in course.feedback("ada")


def test_the_last_answer_above_the_check_counts(course: Course) -> None:
    """C14: of two copies the lower one counts, as in a notebook run from top to bottom."""
    notebook = course.answered("%%cuda add_relu\n// the old copy, score 1\n// score 1")
    newer = copy.deepcopy(cell(notebook, "add_relu"))
    newer.source = ANSWER
    notebook.cells.insert(_index(notebook, "add_relu") + 1, newer)
    notebook.cells.append(copy.deepcopy(cell(notebook, "add_relu")))
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0
    assert "3 cells answer add_relu" in course.feedback("ada")


def test_a_stub_never_hides_an_answer(course: Course) -> None:
    """C14: a copy that still is the stub does not count when another cell answers."""
    notebook = course.answered()
    stub = copy.deepcopy(cell(course.released(), "add_relu"))
    notebook.cells.insert(_index(notebook, "add_relu") + 1, stub)
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0


def test_a_split_answer_is_joined(course: Course) -> None:
    """C16: both halves of a split cell carry the id; they are one answer."""
    notebook = course.answered("%%cuda add_relu\n// upper half")
    lower = copy.deepcopy(cell(notebook, "add_relu"))
    lower.source = "// lower half\n// score 3"
    notebook.cells.insert(_index(notebook, "add_relu") + 1, lower)
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0
    joined = cell(course.autograded("ada"), "add_relu").source
    assert joined == "%%cuda add_relu\n// upper half\n// lower half\n// score 3"


def test_a_retyped_answer_is_found_by_its_first_line(course: Course) -> None:
    """C17: an answer in a new cell without metadata counts, where the original was deleted."""
    notebook = _without(course.released(), "add_relu")
    notebook.cells.insert(1, nbformat.v4.new_code_cell(ANSWER))
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0


def test_an_answer_keeps_its_id_without_its_first_line(course: Course) -> None:
    """C17: a learner who deletes the magic line is still judged on the cell's text."""
    assert course.grade("ada", course.answered("// score 3"))["check_add_relu"] == 3.0


def test_empty_metadata_is_restored(course: Course) -> None:
    """C17: cells that come back with empty metadata are matched by their first line."""
    notebook = course.answered()
    for one in notebook.cells:
        one.metadata = nbformat.NotebookNode()
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0


def test_moved_cells_are_judged(course: Course) -> None:
    """C15: the order of the cells is the learner's own."""
    notebook = course.answered()
    notebook.cells.reverse()
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0


def test_an_older_release_is_graded_on_what_it_has(course: Course) -> None:
    """C20: ids that the release no longer has are ignored, new ones count as not attempted."""
    notebook = _without(course.answered(), "side_stream_scale", "check_side_stream_scale")
    gone = copy.deepcopy(cell(notebook, "check_add_relu"))
    gone.source = 'check("relu")'
    gone.metadata.nbgrader.grade_id = "check_relu"
    notebook.cells.append(gone)
    marks = course.grade("ada", notebook)
    assert (marks["check_add_relu"], marks["check_side_stream_scale"]) == (3.0, 0.0)


@pytest.mark.parametrize("points", [300, 0, "many", -1, None])
def test_points_come_from_the_release(course: Course, points: object) -> None:
    """C10: points in the submission's metadata do not count, whatever they are."""
    notebook = course.answered("%%cuda add_relu\n// score 2")
    cell(notebook, "check_add_relu").metadata.nbgrader.points = points
    assert course.grade("ada", notebook)["check_add_relu"] == 2.0
    assert cell(course.autograded("ada"), "check_add_relu").metadata.nbgrader.points == 3.0


@pytest.mark.parametrize(
    ("grade_id", "key", "value"),
    [
        ("check_add_relu", "grade", False),
        ("check_add_relu", "locked", False),
        ("check_add_relu", "solution", True),
        ("check_add_relu", "schema_version", 1),
        ("check_add_relu", "cell_type", "markdown"),
        ("add_relu", "locked", True),
        ("add_relu", "grade", True),
        ("add_relu", "task", True),
    ],
)
def test_metadata_comes_from_the_release(course: Course, grade_id: str, key: str, value: object) -> None:
    """C17: no edit of nbgrader's metadata changes what is graded."""
    notebook = course.answered()
    cell(notebook, grade_id).metadata.nbgrader[key] = value
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0


def test_an_edited_check_cell_is_restored(course: Course) -> None:
    """C23: a check cell that says something else is judged as released."""
    notebook = course.answered("%%cuda add_relu\n// score 1")
    cell(notebook, "check_add_relu").source = "3.0"
    assert course.grade("ada", notebook)["check_add_relu"] == 1.0
    assert cell(course.autograded("ada"), "check_add_relu").source == 'check("add_relu")'


def test_a_learner_s_own_nbgrader_cells_earn_nothing(course: Course) -> None:
    """C10: a graded cell that the release does not have is an ordinary cell."""
    notebook = course.answered()
    extra = copy.deepcopy(cell(notebook, "check_add_relu"))
    extra.metadata.nbgrader.grade_id = "bonus"
    extra.source = "100.0"
    notebook.cells.append(extra)
    assert set(course.grade("ada", notebook)) == {
        "check_add_relu", "check_add_relu_function", "check_side_stream_scale",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["Python [root]", "no-such-kernel", "ir"])
def test_the_kernel_name_does_not_matter(course: Course, name: str) -> None:
    """C31, C32: a notebook saved with another kernel is graded with the course's."""
    notebook = course.answered()
    notebook.metadata.kernelspec = {"name": name, "display_name": name, "language": "R"}
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0
    assert course.autograded("ada").metadata.kernelspec.name == "python3"


def test_repeated_notebook_cell_ids_are_no_obstacle(course: Course) -> None:
    """C13: cells that share the notebook format's own id are graded, and told apart afterwards."""
    notebook = course.answered()
    for one in notebook.cells:
        one["id"] = "same"
    assert course.grade("ada", notebook)["check_add_relu"] == 3.0
    ids = [one.id for one in course.autograded("ada").cells]
    assert len(ids) == len(set(ids))


def test_a_missing_half_of_an_answer_is_said(course: Course) -> None:
    """C10: with the Python cell deleted the exercise is judged on what is there, and the card says so."""
    notebook = _without(course.released(), "add_relu_function-py")
    cell(notebook, "add_relu_function").source = "%%cuda add_relu_function\n// score 1"
    assert course.grade("ada", notebook)["check_add_relu_function"] == 1.0
    assert "add_relu_function-py is not in the notebook" in course.feedback("ada")


def test_the_release_says_which_version_counts(course: Course) -> None:
    """C20: an answer to an exercise that a later release dropped does no harm."""
    lesson = course.root / f"{LESSON}.md"
    start = TOY.index("```{code-cell} ipython3\n%%cuda side_stream_scale")
    lesson.write_text(TOY[:start], encoding="utf-8")
    old = course.answered()
    release.write_source(lesson, course.root / "source")
    release.generate(course.root, LESSON)
    assert course.grade("ada", old) == {"check_add_relu": 3.0, "check_add_relu_function": 0.0}
