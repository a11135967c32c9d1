"""Marks of a course with the reason for each lost point."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat

from grader.nbgrader.errors import CourseError
from grader.notebook.answers import CHECK_PREFIX
from grader.notebook.card import points
from grader.verdict import Outcome

if TYPE_CHECKING:
    from rich.console import Console

_COLUMNS = ("student", "exercise", "mark", "points lost because")
_NOT_JUDGED = "Not judged; see what `nbgrader autograde` said."
_EARLIER = "This mark is of an earlier hand-in."
_UNFINISHED = "Graded again, but not to the end: this mark is the earlier one."


@dataclass(frozen=True)
class Mark:
    """One student's mark for one exercise or test cell.  `score` is None while there is no mark.

    `stale` says why the mark is not that of the file handed in last; it is empty for one that is.
    """

    student: str
    lesson: str
    exercise: str
    score: float | None
    max_score: float
    reason: str
    stale: str = ""


def main(arguments: list[str] | None = None) -> int:
    """Print the marks of a course directory as a table."""
    parser = argparse.ArgumentParser(prog="grader marks", description=__doc__)
    parser.add_argument("directory", type=Path, nargs="?", default=Path())
    options = parser.parse_args(arguments)
    try:
        print_marks(marks(options.directory))
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def marks(directory: Path, url: str | None = None) -> list[Mark]:
    """Return all marks in the gradebook, by student, lesson and exercise.

    `url` is the gradebook's, by default `gradebook.db` in the directory.
    """
    from nbgrader.api import Gradebook

    from grader.nbgrader.config import find_alembic

    path = directory.resolve() / "gradebook.db"
    if url is None and not path.exists():
        raise CourseError(f"No gradebook in {directory}. Make a course directory with `grader quickstart`.")
    find_alembic()
    with Gradebook(url or f"sqlite:///{path}") as gradebook:
        found = [
            mark
            for assignment in gradebook.assignments
            for submission in assignment.submissions
            for mark in _of_submission(directory, submission)
        ]
    return sorted(found, key=lambda mark: (mark.student, mark.lesson, mark.exercise))


def print_marks(rows: Sequence[Mark]) -> None:
    """Print marks on standard output, and how to mark what is newer than its mark.

    A table as wide as the terminal; elsewhere plain lines, with a reason whole on its line.
    """
    from rich.console import Console

    console = Console()
    title = f"{_counted(len({row.student for row in rows}), 'student')}, {_counted(len(rows), 'mark')}"
    if console.is_terminal:
        _print_table(console, title, rows)
    else:
        print("\n".join([title, *_lines(rows)]))
    if any(row.score is None for row in rows):
        print("– is no mark: it could not be judged, and is not a zero. `nbgrader autograde` says why.")
    if again := regrading(rows):
        print("\nNot marked as handed in last. In the course directory, these commands mark it:")
        print("\n".join(again))


def regrading(rows: Sequence[Mark]) -> list[str]:
    """Return the commands that grade again what was handed in since its mark, and renew its feedback."""
    stale = dict.fromkeys((row.lesson, row.student) for row in rows if row.stale)
    return [
        f"nbgrader {command} {lesson} --student {shlex.quote(student)} --force"
        for lesson, student in stale
        for command in ("autograde", "generate_feedback")
    ]


def _print_table(console: Console, title: str, rows: Sequence[Mark]) -> None:
    """Print a table, students apart from each other by lines."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title)
    for name in _COLUMNS[:2]:
        table.add_column(name, no_wrap=True)
    table.add_column(_COLUMNS[2], justify="right", no_wrap=True)
    table.add_column(_COLUMNS[3], overflow="fold")
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        last = following is None or following.student != row.student
        table.add_row(*(Text(cell) for cell in _cells(row)), end_section=last)
    console.print(table)


def _lines(rows: Sequence[Mark]) -> list[str]:
    """Return aligned lines; a further reason for the same mark stands below the first."""
    cells = [_COLUMNS, *map(_cells, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    lines = []
    for *first, reasons in cells:
        start = "  ".join(cell.ljust(width) for cell, width in zip(first, widths, strict=True))
        for number, reason in enumerate(reasons.split("\n")):
            lines.append(f"{start if number == 0 else ' ' * len(start)}  {reason}".rstrip())
    return lines


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _cells(row: Mark) -> tuple[str, str, str, str]:
    score = "–" if row.score is None else points(row.score)
    reason = f"{row.stale} {row.reason}".strip()
    return row.student, row.exercise, f"{score} of {points(row.max_score)}", reason


def _of_submission(directory: Path, submission: Any) -> Iterator[Mark]:
    """Yield the marks of one student's assignment."""
    student, lesson = submission.student.id, submission.assignment.name
    for notebook in submission.notebooks:
        path = directory / "autograded" / student / lesson / f"{notebook.name}.ipynb"
        submitted = directory / "submitted" / student / lesson / f"{notebook.name}.ipynb"
        verdicts = _verdicts(path)
        unmarked = _unmarked(submitted)
        stale = _stale(submitted, path)
        for grade in notebook.grades:
            verdict = verdicts.get(grade.name)
            graded = grade.auto_score is not None or grade.manual_score is not None
            score = float(grade.score) if graded else None
            reason = _reason(verdict, score, float(grade.max_score), unmarked)
            if grade.manual_score is not None:
                reason = f"Set by hand. {reason}".strip()
            exercise = grade.name.removeprefix(CHECK_PREFIX)
            told = "" if score is None else stale
            yield Mark(student, lesson, exercise, score, float(grade.max_score), reason, told)


def _stale(submitted: Path, autograded: Path) -> str:
    """Say whether another file lies in `submitted/` than the one that was graded, or nothing."""
    from grader.nbgrader.submission import DIGEST, fingerprint

    if not submitted.exists():
        return ""
    if not autograded.exists():
        return _UNFINISHED
    graded = nbformat.read(autograded, as_version=4).metadata.get(DIGEST)
    return "" if graded in (None, fingerprint(submitted)) else _EARLIER


def _verdicts(path: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts of an autograded notebook by grade id; for a cell of nbgrader's, what it showed."""
    from grader.nbgrader.judging import stored_verdict

    if not path.exists():
        return {}
    cells = nbformat.read(path, as_version=4).cells
    found = {}
    for cell in cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if (verdict := stored_verdict(cell)) is not None:
            found[grade_id] = verdict
        elif errors := [output for output in cell.get("outputs", []) if output.output_type == "error"]:
            found[grade_id] = {"error": f"{errors[0].ename}: {errors[0].evalue}"}
    return found


def _unmarked(submitted: Path) -> str:
    """Say why a submission has no marks at all."""
    from grader.nbgrader.submission import unreadable

    problem = unreadable(submitted) if submitted.exists() else ""
    return f"{submitted.name}: {problem}" if problem else _NOT_JUDGED


def _reason(
    verdict: dict[str, Any] | None, score: float | None, available: float, unmarked: str = _NOT_JUDGED
) -> str:
    """Return why points are missing, one line a failed check; empty for full marks."""
    if verdict is None:
        return unmarked if score is None else ""
    if "error" in verdict:
        return str(verdict["error"])
    if score is not None and score >= available:
        return ""
    lines = [str(note) for note in verdict["notes"]] + [str(verdict["message"])]
    failed = [check for check in verdict["checks"] if check["verdict"] == Outcome.FAILED]
    without_points = [check for check in failed if not check["max_score"]]
    lost = [check for check in verdict["checks"] if check["score"] < check["max_score"]]
    judged = [check for check in lost if check["verdict"] != Outcome.NOT_RUN]
    lines += _failures([*without_points, *judged], verdict["exercise"])
    not_run = [check for check in lost if check["verdict"] == Outcome.NOT_RUN]
    if not_run:
        total = points(sum(check["max_score"] for check in not_run))
        lines.append(f"not run (-{total}): {', '.join(check['name'] for check in not_run)}")
    return "\n".join(line for line in lines if line)


def _failures(checks: list[dict[str, Any]], exercise: str) -> list[str]:
    """Return one line a message: the checks that it concerns, their lost points, the line, the message."""
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for check in checks:
        where = f"line {check['where']['line']}" if check["where"] else ""
        message = (check["message"] or check["verdict"].replace("_", " ")).splitlines()[0]
        alike.setdefault((where, message.removeprefix(f"{exercise}: ")), []).append(check)
    return [_failure(where, message, group) for (where, message), group in alike.items()]


def _failure(where: str, message: str, checks: list[dict[str, Any]]) -> str:
    lost = sum(check["max_score"] - check["score"] for check in checks)
    remarks = ", ".join(remark for remark in (f"-{points(lost)}" if lost else "", where) if remark)
    names = ", ".join(check["name"] for check in checks)
    return f"{names} ({remarks}): {message}" if remarks else f"{names}: {message}"


if __name__ == "__main__":
    sys.exit(main())
