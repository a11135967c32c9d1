"""A class with attackers in it: the honest marks are what they are alone, and nothing is left behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat

from grader.nbgrader.marks import marks
from grader.nbgrader.quickstart import quickstart
from grader.nbgrader.seed import SEED_FILE
from tests.attacks.attack import attacks
from tests.attacks.ground import ROOT

LESSON = "02_load_inline"
EXERCISE = "add_relu"
_SUBREAPER = 36
_SECONDS = 1800.0
_ENDING_SECONDS = 5.0


@dataclass(frozen=True)
class HandIn:
    """What one student hands in for the exercise."""

    student: str
    source: str
    hostile: bool = False


@dataclass(frozen=True)
class Graded:
    """A batch's marks, and what was wrong with it afterwards."""

    marks: dict[str, float | None]
    left: list[str]


def honest(count: int) -> Iterator[HandIn]:
    """Yield right and wrong answers of the corpus."""
    files = sorted((ROOT / "tests/submissions" / EXERCISE).glob("*.cu"))
    step = max(1, len(files) // count)
    for number, path in enumerate(files[::step][:count]):
        yield HandIn(f"honest-{number:02}", path.read_text(encoding="utf-8"))


def hostile(count: int) -> Iterator[HandIn]:
    """Yield attacks of the corpus that are made for a batch."""
    for attack in list(attacks("batch"))[:count]:
        yield HandIn(f"hostile-{attack.path.stem}", attack.text, hostile=True)


class Course:
    """A course directory of its own, with a lesson released.  A context manager."""

    def __init__(self, seed: str) -> None:
        """Make it; courses with the same seed draw the same inputs."""
        self.folder = Path(tempfile.mkdtemp(prefix="grader-course-"))
        self.root, self.temporary = self.folder / "course", self.folder / "temporary"
        self.temporary.mkdir()
        quickstart(self.root)
        (self.root / SEED_FILE).chmod(0o600)
        (self.root / SEED_FILE).write_text(seed + "\n")
        self.nbgrader("generate_assignment", LESSON)

    def hand_in(self, one: HandIn, mark: str) -> None:
        """Put a submission where nbgrader collects it."""
        notebook = nbformat.read(self.root / "release" / LESSON / f"{LESSON}.ipynb", as_version=4)
        source = one.source.replace("@COURSE@", str(self.root)).replace("@MARK@", mark)
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("grade_id") == EXERCISE:
                cell.source = f"%%cuda {EXERCISE}\n{source}"
        path = self.root / "submitted" / one.student / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start one of nbgrader's commands as an instructor does."""
        log = open(self.folder / "log", "ab")  # noqa: SIM115  (the child's; closed below)
        with log:
            return subprocess.Popen(
                [sys.executable, "-m", "nbgrader", *arguments], cwd=self.root, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, env=os.environ | {"TMPDIR": str(self.temporary)},
            )  # fmt: skip

    def nbgrader(self, *arguments: str) -> int:
        """Run one of nbgrader's commands; return its exit status."""
        return self.start(*arguments).wait(timeout=_SECONDS)

    def marks(self) -> dict[str, float | None]:
        """Return each student's mark."""
        return {row.student: row.score for row in marks(self.root) if row.exercise == EXERCISE}

    def log(self) -> str:
        """Return what nbgrader's commands printed."""
        return (self.folder / "log").read_text(errors="replace")

    def left(self) -> list[str]:
        """Return what should not be there after a batch."""
        files = [f"file {path}" for path in self.temporary.iterdir() if path.name != "__pycache__"]
        sockets = [f"socket {path}" for path in self.folder.rglob("*") if stat.S_ISSOCK(path.lstat().st_mode)]
        return files + sockets + [f"process {line}" for line in _own_children()] + self.gradebook_faults()

    def gradebook_faults(self) -> list[str]:
        """Return what is wrong with the gradebook: its file, and marks that occur twice."""
        with sqlite3.connect(self.root / "gradebook.db") as book:
            (whole,) = book.execute("pragma integrity_check").fetchone()
            twice = book.execute(
                "select count(*) from grade group by cell_id, notebook_id having count(*) > 1"
            ).fetchall()
        book.close()
        return ([] if whole == "ok" else [f"gradebook: {whole}"]) + [
            f"a mark occurs {n} times" for (n,) in twice
        ]

    def __enter__(self) -> Course:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def run(good: int, bad: int, seed: str = "7" * 64) -> tuple[Graded, Graded]:
    """Grade honest hand-ins alone, and again among attackers; return both."""
    adopt_orphans()
    found = []
    for count in (0, bad):
        with Course(seed) as course:
            for one in (*honest(good), *hostile(count)):
                course.hand_in(one, mark=f"{os.getpid()}.4242")
            course.nbgrader("autograde", LESSON)
            found.append(Graded(course.marks(), course.left()))
    return found[0], found[1]


def adopt_orphans() -> None:
    """Have whatever outlives its parent become a child of this process, where it is seen."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _own_children() -> list[str]:
    """Return this process's children that still run, once what was ending has had time to end."""
    deadline = time.monotonic() + _ENDING_SECONDS
    while (running := _running()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return running


def _running() -> list[str]:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    command = ["ps", "-o", "pid=,stat=,args=", "--ppid", str(os.getpid())]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return [line.strip() for line in listed.splitlines() if " ".join(command) not in line]
