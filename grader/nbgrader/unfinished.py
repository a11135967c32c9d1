"""Submissions whose grading was cut off: they are graded again, where nbgrader would take them for done.

nbgrader skips a submission that has an autograded copy, and writes that copy before it has the marks.  A
process that is killed between the two leaves a mark that no later run fills in.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from pathlib import Path
from typing import Any

FOLDER = ".grading"
"""Below the course: a file for each submission that is being graded, locked by the process that does it."""

_held: dict[Path, int] = {}


class Grading:
    """nbgrader's hooks before and after a submission, for one course."""

    def __init__(self, course: Path) -> None:
        """Stand for the course in this directory."""
        self._folder = course / FOLDER

    def begin(self, assignment: str, student: str, notebooks: list[str]) -> None:
        """Note that a submission is being graded."""
        path = self._file(notebooks)
        path.parent.mkdir(exist_ok=True)
        _held[path] = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(_held[path], fcntl.LOCK_EX | fcntl.LOCK_NB)

    def end(self, assignment: str, student: str, notebooks: list[str]) -> None:
        """Note that a submission has been graded."""
        path = self._file(notebooks)
        path.unlink(missing_ok=True)
        os.close(_held.pop(path))

    def _file(self, notebooks: list[str]) -> Path:
        """Return the file of a submission.  nbgrader's words for assignment and student may be patterns."""
        folder = Path(notebooks[0]).parent
        return self._folder / f"{folder.name}:{folder.parent.name}"


def install(config: Any, course: Path) -> None:
    """Have nbgrader note what it grades, and forget the copies of what was cut off."""
    grading = Grading(course)
    config.Autograde.pre_convert_hook = grading.begin
    config.Autograde.post_convert_hook = grading.end
    for path in sorted((course / FOLDER).glob("*:*")):
        if _is_abandoned(path):
            _forget(course, path)


def _is_abandoned(path: Path) -> bool:
    with contextlib.suppress(OSError), open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _forget(course: Path, path: Path) -> None:
    assignment, _, student = path.name.partition(":")
    copy = course / "autograded" / student / assignment
    for folder in (copy, *copy.rglob("*")):  # nbgrader leaves them read only
        if folder.is_dir() and not folder.is_symlink():
            folder.chmod(0o700)
    shutil.rmtree(copy, ignore_errors=True)
    path.unlink(missing_ok=True)
