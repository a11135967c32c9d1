"""Lessons to released notebooks, through nbgrader's own generate step."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from toy_course import LESSON, PLAIN, TOY, Course, cell

from grader.nbgrader import release
from grader.nbgrader.declare import source_notebook
from grader.nbgrader.errors import LessonError
from grader.notebook.answers import digest


def _lesson(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "solutions" / f"{LESSON}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _main(tmp_path: Path, *options: str) -> int:
    folders = ["--solutions", str(tmp_path / "solutions"), "--notebooks", str(tmp_path / "notebooks")]
    return release.main([*folders, *options])


def test_stubs_suit_the_cell_s_language(course: Course) -> None:
    """C55: a CUDA cell gets an #error that names its exercise, a Python cell an exception that does."""
    released = course.released()
    assert cell(released, "add_relu").source == (
        '%%cuda add_relu\n// given code\n// YOUR CODE HERE\n#error "add_relu: not attempted yet"'
    )
    assert cell(released, "add_relu_function-py").source == (
        "# answer: add_relu_function\ndef fused_add_relu(a, b):\n    # YOUR CODE HERE\n"
        '    raise NotImplementedError("add_relu_function: not attempted yet")'
    )


def test_a_starter_stands_for_the_model_answer(course: Course) -> None:
    """A starter is released without its prefix, and the check cell knows its digest."""
    released = course.released()
    starter = cell(released, "side_stream_scale").source
    assert starter == "%%cuda side_stream_scale\nlaunch();"
    check = cell(released, "check_side_stream_scale").source
    assert check == f'check("side_stream_scale", untouched="{digest(starter)}")'


def test_points_and_locks_come_from_the_declaration(course: Course) -> None:
    """A check cell carries the declared points and cannot be edited or deleted."""
    check = cell(course.released(), "check_add_relu_function")
    assert check.metadata.nbgrader.points == 4.0
    assert (check.metadata.editable, check.metadata.deletable) == (False, False)


def test_the_release_holds_no_answer_and_no_output(course_with_tests: Course) -> None:
    """Neither model answers, hidden tests, markers nor outputs are in the release."""
    text = nbformat.writes(course_with_tests.released())
    for secret in ("launch(stream)", "// score", "1234567", "BEGIN", "END SOLUTION", "STARTER"):
        assert secret not in text
    assert all(one.outputs == [] for one in course_with_tests.released().cells if one.cell_type == "code")


def test_the_release_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    """Releasing again, elsewhere and without a memory, gives the same bytes; --check says so."""
    _lesson(tmp_path, TOY + PLAIN)
    assert _main(tmp_path) == 0
    path = tmp_path / "notebooks" / LESSON / f"{LESSON}.ipynb"
    first = path.read_bytes()
    path.unlink()
    assert _main(tmp_path, "--check") == 1
    assert _main(tmp_path) == 0
    assert path.read_bytes() == first
    assert str(tmp_path).encode() not in first
    assert _main(tmp_path, "--check") == 0


def test_check_names_what_is_out_of_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A changed lesson and a notebook without a lesson are named, with the command that mends."""
    lesson = _lesson(tmp_path, TOY)
    _main(tmp_path)
    stray = tmp_path / "notebooks" / "99_old" / "99_old.ipynb"
    stray.parent.mkdir()
    stray.write_text("{}")
    lesson.write_text(TOY.replace("A toy lesson", "A better lesson"), encoding="utf-8")
    capsys.readouterr()
    assert _main(tmp_path, "--check") == 1
    said = capsys.readouterr().err
    assert f"{LESSON}.ipynb differs from its lesson" in said
    assert "99_old.ipynb has no lesson" in said
    assert "make release" in said


def test_cell_ids_are_derived(course: Course) -> None:
    """Notebook cell ids are the grade ids, or the position for prose."""
    assert [one.id for one in course.released().cells][:4] == [
        "cell-001",
        "cell-002",
        "add_relu",
        "check_add_relu",
    ]


def _cut(text: str, first_line: str) -> str:
    """Remove the code cell with this first line."""
    return re.sub(
        r"```\{code-cell\} ipython3\n" + re.escape(first_line) + r".*?```\n", "", text, flags=re.DOTALL
    )


DEFECTS = {
    "misspelt_end": (TOY.replace("// END SOLUTION", "// END SOLUTIONS", 1), "looks like one"),
    "misspelt_begin": (TOY.replace("// BEGIN SOLUTION", "// BEGIN SOLUTOIN", 1), "looks like one"),
    "lower_case": (TOY.replace("// BEGIN SOLUTION", "// begin solution", 1), "looks like one"),
    "unbalanced": (TOY.replace("// END SOLUTION\n", "", 1), "without END SOLUTION"),
    "end_only": (TOY.replace("// BEGIN SOLUTION\n", "", 1), "without BEGIN SOLUTION"),
    "nested": (
        TOY.replace("// BEGIN SOLUTION\n", "// BEGIN SOLUTION\n// BEGIN SOLUTION\n", 1),
        "BEGIN SOLUTION inside",
    ),
    "wrong_comment": (TOY.replace("// BEGIN SOLUTION", "# BEGIN SOLUTION", 1), "begins with //"),
    "starter_outside": (
        TOY.replace("// given code", "// BEGIN STARTER\n//| x\n// END STARTER"),
        "outside SOLUTION",
    ),
    "starter_without_prefix": (TOY.replace("//| launch", "launch"), "begins with '//| '"),
    "no_region": (
        TOY.replace("// BEGIN SOLUTION\n// score 3\n// END SOLUTION", "// score 3"),
        "without a SOLUTION region",
    ),
    "in_prose": (TOY.replace("# A toy lesson", "# BEGIN SOLUTION"), "a cell that is no answer"),
    "unknown_exercise": (
        TOY.replace("add_relu_function", "add_relu_fusion"),
        "no exercise 'add_relu_fusion'",
    ),
    "no_answer": (_cut(TOY, "%%cuda add_relu\n"), "no cuda answer cell"),
    "no_python_answer": (_cut(TOY, "# answer: add_relu_function"), "no python answer cell"),
    "no_check": (_cut(TOY, 'check("add_relu")'), "has no check cell"),
    "check_above": (
        _cut(TOY, 'check("add_relu")').replace("from grader import check", 'check("add_relu")'),
        "no cuda answer cell",
    ),
    "twice": (TOY + '\n```{code-cell} ipython3\ncheck("add_relu")\n```\n', "is cell"),
    "hidden_misspelt": (TOY + PLAIN.replace("BEGIN HIDDEN TESTS", "BEGIN HIDEN TESTS"), "looks like one"),
    "hidden_unbalanced": (TOY + PLAIN.replace("### END HIDDEN TESTS\n", ""), "without END HIDDEN TESTS"),
    "other_magic": (TOY + PLAIN.replace("def twice(x):", "%%bash"), "no stub for a '%%bash' cell"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_refused(tmp_path: Path, defect: str) -> None:
    """A lesson that would leak an answer or confuse nbgrader is refused, naming file, cell and remedy."""
    text, problem = DEFECTS[defect]
    assert text not in (TOY, TOY + PLAIN)
    with pytest.raises(LessonError, match=re.escape(problem)) as refused:
        source_notebook(_lesson(tmp_path, text))
    assert re.match(rf"{LESSON}\.md, cell \d+ \('.*'\): .*\. .+\.", str(refused.value))


def test_an_exercise_belongs_to_its_lesson(tmp_path: Path) -> None:
    """An exercise in a lesson other than the declared one is refused."""
    path = tmp_path / "03_other.md"
    path.write_text(TOY, encoding="utf-8")
    with pytest.raises(LessonError, match=f"belongs to lesson {LESSON}"):
        source_notebook(path)


def test_a_refused_lesson_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A refusal ends with one message and no notebook."""
    _lesson(tmp_path, DEFECTS["unbalanced"][0])
    assert _main(tmp_path) == 1
    assert f"{LESSON}.md, cell 3" in capsys.readouterr().err
    assert not (tmp_path / "notebooks").exists()


def test_markers_are_linted_in_the_course_directory_too(course: Course) -> None:
    """A marker that an instructor misspells in source/ stops nbgrader's generate step."""
    path = course.root / "source" / LESSON / f"{LESSON}.ipynb"
    path.write_text(path.read_text().replace("// END SOLUTION", "// END SOLUTOIN", 1))
    from grader.nbgrader.errors import CourseError

    with pytest.raises(CourseError):
        release.generate(course.root, LESSON)


def test_unknown_lessons_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Asking for a lesson that is not there lists those that are."""
    _lesson(tmp_path, TOY)
    assert _main(tmp_path, "07_nothing") == 1
    assert f"There are: {LESSON}" in capsys.readouterr().err


def test_several_regions_and_indentation(tmp_path: Path) -> None:
    """Only a cell's first region stops the compiler; every stub keeps its region's indentation."""
    text = TOY.replace(
        "// given code\n", "// given code\n    // BEGIN SOLUTION\n    // score 0\n    // END SOLUTION\n"
    )
    course = Course(tmp_path)
    course.release(text)
    assert cell(course.released(), "add_relu").source.split("\n")[2:] == [
        "    // YOUR CODE HERE",
        '    #error "add_relu: not attempted yet"',
        "// YOUR CODE HERE",
    ]
