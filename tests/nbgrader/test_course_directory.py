"""`quickstart` and `marks`: a course directory that nbgrader's commands work in."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toy_course import LESSON, TOY, Course, cell

from grader.nbgrader import marks as marks_module
from grader.nbgrader.errors import CourseError, UngradedError
from grader.nbgrader.marks import Mark, marks
from grader.nbgrader.quickstart import main, quickstart
from grader.nbgrader.seed import SEED_FILE, secret_seed
from grader.nbgrader.submission import DIGEST


@pytest.fixture
def solutions(tmp_path: Path) -> Path:
    """Return a folder with the toy lesson."""
    folder = tmp_path / "solutions"
    folder.mkdir()
    (folder / f"{LESSON}.md").write_text(TOY, encoding="utf-8")
    return folder


def test_quickstart_makes_a_course(solutions: Path, tmp_path: Path) -> None:
    """Configuration, source, gradebook, README and a seed that only its owner reads are there."""
    course = tmp_path / "course"
    assert {step.done for step in quickstart(course, solutions)} == {"made"}
    for name in ("nbgrader_config.py", "README.md", "gradebook.db", f"source/{LESSON}/{LESSON}.ipynb"):
        assert (course / name).stat().st_size > 0
    assert (course / SEED_FILE).stat().st_mode & 0o777 == 0o600


def test_quickstart_again_changes_nothing(solutions: Path, tmp_path: Path) -> None:
    """A second run keeps every file, edited ones included, and says which differ."""
    course = tmp_path / "course"
    quickstart(course, solutions)
    seed = (course / SEED_FILE).read_text()
    (course / "nbgrader_config.py").write_text("# mine")
    steps = {step.path.name: step.done for step in quickstart(course, solutions)}
    assert steps["nbgrader_config.py"] == "differs"
    assert set(steps.values()) == {"differs", "kept"}
    assert (course / "nbgrader_config.py").read_text() == "# mine"
    assert (course / SEED_FILE).read_text() == seed


@pytest.mark.parametrize(("inside", "told"), [(True, "Next: `nbgrader"), (False, "Next: cd ")])
def test_quickstart_says_what_comes_next(
    solutions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    inside: bool, told: str,
) -> None:  # fmt: skip
    """The next command is named, without `cd .` for someone who stands in the course already."""
    course = tmp_path / "course"
    course.mkdir()
    monkeypatch.chdir(course)
    assert main(["." if inside else "../other", "--solutions", str(solutions)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(told)


def test_quickstart_without_lessons_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong solutions folder is one message, exit status 2, and no directory."""
    assert main([str(tmp_path / "course"), "--solutions", str(tmp_path / "nothing")]) == 2
    assert "--solutions" in capsys.readouterr().err
    assert not (tmp_path / "course").exists()


def test_nbgrader_s_own_command_works_without_the_environment_on_the_path(tmp_path: Path) -> None:
    """`nbgrader generate_assignment` in the made directory releases, though `alembic` is not on PATH."""
    course = tmp_path / "course"
    from grader.nbgrader.release import REPOSITORY

    subprocess.run(
        [sys.executable, "-m", "grader.nbgrader.quickstart", str(course)], check=True, cwd=REPOSITORY
    )
    ran = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", "02_load_inline"],
        cwd=course, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    made = (course / "release" / "02_load_inline" / "02_load_inline.ipynb").read_text()
    assert '#error \\"add_relu: not attempted yet\\"' in made


def test_seeds_differ_by_exercise_and_stay(tmp_path: Path) -> None:
    """A course's seed gives each exercise its own, the same at each regrade."""
    path = tmp_path / SEED_FILE
    path.write_text("a" * 64)
    assert secret_seed(str(path), "add_relu") == secret_seed(str(path), "add_relu")
    assert secret_seed(str(path), "add_relu") != secret_seed(str(path), "side_stream_scale")
    path.write_text("b" * 64)
    assert secret_seed(str(path), "add_relu") != secret_seed(str(path), "leaky_relu")


@pytest.mark.parametrize("content", ["", "\n", "short"])
def test_an_empty_seed_is_refused(tmp_path: Path, content: str) -> None:
    """A seed file without a seed is refused, with the remedy."""
    path = tmp_path / SEED_FILE
    path.write_text(content)
    with pytest.raises(UngradedError, match="grader quickstart"):
        secret_seed(str(path), "add_relu")


def test_marks_give_the_reason_for_each_lost_point(course: Course) -> None:
    """A row a student and exercise: mark, maximum, and why points are missing."""
    notebook = course.answered("%%cuda add_relu\n// score 1")
    cell(notebook, "side_stream_scale").source += "\n// needs_gpu"
    course.submit("ada", notebook)
    course.submit("bob", course.answered())
    course.autograde()
    rows = {(row.student, row.exercise): row for row in marks(course.root)}
    reason = "close (-2, line 3): expected 2 <at> index 7, got 1 & more"
    assert rows["ada", "add_relu"] == Mark("ada", LESSON, "add_relu", 1.0, 3.0, reason)
    assert rows["ada", "side_stream_scale"].score is None
    assert "said needs_gpu" in rows["ada", "side_stream_scale"].reason
    assert rows["bob", "add_relu"] == Mark("bob", LESSON, "add_relu", 3.0, 3.0, "")
    assert rows["bob", "add_relu_function"].reason == "The answer is as it was released."


def test_an_ungraded_submission_is_no_zero(course: Course) -> None:
    """What could not be judged is shown as having no mark, with where to look."""
    course.submit("ada", course.answered("%%cuda add_relu\n// environment"))
    from nbgrader.converters.base import NbGraderException

    with pytest.raises(NbGraderException):
        course.autograde()
    assert {row.score for row in marks(course.root)} == {None}
    assert "Not judged" in marks(course.root)[0].reason


def test_what_is_no_notebook_says_so_among_the_marks(course: Course) -> None:
    """A submission without any mark because it is no notebook says that, and what to do about it."""
    from nbgrader.converters.base import NbGraderException

    course.submit("ada", "not a notebook")
    with pytest.raises(NbGraderException):
        course.autograde()
    assert "not a Jupyter notebook" in marks(course.root)[0].reason
    assert "Ask for the .ipynb file again" in marks(course.root)[0].reason


def exported(course: Course) -> dict[str, dict[str, str]]:
    """Run nbgrader's own export in the course; return its rows by student."""
    from nbgrader.apps import ExportApp

    target = course.root / "grades.csv"
    app = ExportApp(config=course.config())
    app.config.ExportPlugin.to = str(target)
    app.initialize([])
    app.start()
    with target.open(encoding="utf-8", newline="") as file:
        return {row["student_id"]: row for row in csv.DictReader(file)}


def test_the_export_has_no_score_where_a_mark_is_missing(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A score is a sum of marks: empty where one is missing, and 0 for what was not handed in."""
    from nbgrader.api import Gradebook
    from nbgrader.converters.base import NbGraderException

    monkeypatch.chdir(course.root)
    course.submit("ada", course.answered("%%cuda add_relu\n// environment"))
    course.submit("bob", course.answered("%%cuda add_relu\n// score 2"))
    with pytest.raises(NbGraderException):
        course.autograde()
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        gradebook.add_student("cyd", last_name="Doe, Jr.")
    rows = exported(course)
    assert {name: rows[name]["score"] for name in rows} == {"ada": "", "bob": "2.0", "cyd": "0.0"}
    assert rows["cyd"]["last_name"] == "Doe, Jr."
    assert rows["ada"]["max_score"] == "9.0"


def test_a_hand_in_after_its_mark_is_told(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    """nbgrader leaves a second hand-in alone; the marks say so, with the commands that grade it."""
    course.grade("ada", course.answered("%%cuda add_relu\n// score 1"))
    course.grade("bob", course.answered())
    assert not any(row.stale for row in marks(course.root))
    assert course.grade("ada", course.answered())["check_add_relu"] == 1.0  # nbgrader skips what it has
    rows = marks(course.root)
    assert {row.student for row in rows if row.stale} == {"ada"}
    marks_module.print_marks(rows)
    printed = capsys.readouterr().out
    assert "1 of 3  This mark is of an earlier hand-in." in printed
    assert printed.endswith(
        f"nbgrader autograde {LESSON} --student ada --force\n"
        f"nbgrader generate_feedback {LESSON} --student ada --force\n"
    )
    course.autograde(force=True)
    assert not any(row.stale for row in marks(course.root))
    assert course.scores("ada")["check_add_relu"] == 3.0


def test_a_grading_that_was_cut_short_is_told(course: Course) -> None:
    """Where grading again was interrupted, or the machine failed, the old mark stands and says what it is."""
    from nbgrader.converters.base import NbGraderException

    course.grade("ada", course.answered())
    course.submit("ada", course.answered("%%cuda add_relu\n// environment"))
    with pytest.raises(NbGraderException):
        course.autograde(force=True)
    [row] = [row for row in marks(course.root) if row.exercise == "add_relu"]
    assert (row.score, row.reason) == (3.0, "")
    assert row.stale == "Graded again, but not to the end: this mark is the earlier one."
    assert marks_module.regrading([row])[0] == f"nbgrader autograde {LESSON} --student ada --force"


def test_a_submission_does_not_say_itself_which_file_was_graded(course: Course) -> None:
    """What a hand-in says of its own digest is not believed."""
    notebook = course.answered()
    notebook.metadata[DIGEST] = "forged"
    course.grade("ada", notebook)
    assert not any(row.stale for row in marks(course.root))


def test_the_table_is_plain_where_it_is_piped(capsys: pytest.CaptureFixture[str]) -> None:
    """Each reason stands whole on one line, so that it can be searched; further ones stand below it."""
    reason = "memory (-1, line 7): " + "a long reason " * 20 + "ends"
    marks_module.print_marks([Mark("ada", LESSON, "add_relu", 9.0, 10.0, f"{reason}\nlaunch: so")])
    title, _, first, second = capsys.readouterr().out.splitlines()
    assert title == "1 student, 1 mark"
    assert first == f"ada      add_relu  9 of 10  {reason}"
    assert second == f"{'':28}launch: so"


def test_the_table_is_as_wide_as_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal the reasons use the width that there is."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "160")
    marks_module.print_marks([Mark("ada", LESSON, "add_relu", 9.0, 10.0, "word " * 20 + "ends")])
    assert "word " * 20 + "ends" in capsys.readouterr().out


def test_ctrl_c_ends_nbgrader_in_one_line(tmp_path: Path) -> None:
    """A command of nbgrader that is interrupted says what to do next, without a traceback."""
    (tmp_path / "nbgrader_config.py").write_text(
        "from pathlib import Path\n"
        "from grader.nbgrader import configure\n"
        "c = get_config()\n"
        "configure(c, Path(__file__).resolve().parent)\n"
        "c.Autograde.pre_convert_hook = print\n"
        "raise_on_start = 'raise KeyboardInterrupt'\n"
        "import nbgrader.apps.autogradeapp as app\n"
        "app.AutogradeApp.start = lambda self: exec(raise_on_start)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", LESSON],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode != 0
    assert ran.stderr == (
        "Interrupted. What was finished is kept; run the same command again and it does the rest.\n"
    )


def test_the_table_shows_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Names and reasons that look like markup are printed as they are; no mark is said, not shown as 0."""
    marks_module.print_marks(
        [Mark("a[red]da", LESSON, "x", 1.0, 3.0, "[/b]"), Mark("bob", LESSON, "x", None, 3.0, "")]
    )
    printed = capsys.readouterr().out
    for text in ("a[red]da", "[/b]", "1 of 3", "– of 3", "not a zero"):
        assert text in printed


def _check(
    name: str, verdict: str, worth: float, message: str = "", line: int | None = None
) -> dict[str, Any]:
    place = {"line": line} if line else None
    return {
        "name": name,
        "verdict": verdict,
        "score": 0.0,
        "max_score": worth,
        "message": message,
        "where": place,
    }


def test_a_check_without_points_still_gives_its_reason() -> None:
    """A failed build or policy costs other checks their points, so its message stands first."""
    checks = [
        _check("build", "failed", 0, "The compiler says: ';' missing", 7),
        _check("close", "not_run", 4),
    ]
    verdict = {"exercise": "toy", "notes": [], "message": "", "checks": checks}
    assert marks_module._reason(verdict, 0, 4).splitlines() == [
        "build (line 7): The compiler says: ';' missing",
        "not run (-4): close",
    ]


def test_checks_that_fail_for_one_reason_share_a_line() -> None:
    """Checks with one message are named together, with the sum of their points."""
    checks = [
        _check("close", "failed", 4, "toy: not your kernel"),
        _check("launch", "failed", 1, "toy: not your kernel"),
        _check("policy", "failed", 0, "toy: calls aten::add"),
    ]
    verdict = {"exercise": "toy", "notes": [], "message": "", "checks": checks}
    assert marks_module._reason(verdict, 0, 5).splitlines() == [
        "policy: calls aten::add",
        "close, launch (-5): not your kernel",
    ]


def test_marks_without_a_gradebook(tmp_path: Path) -> None:
    """A directory that is no course is refused with the remedy."""
    with pytest.raises(CourseError, match="grader quickstart"):
        marks(tmp_path)
