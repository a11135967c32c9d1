"""From authored lessons to marks in one run: release, sample submissions, autograde, feedback, table.

`make demo` runs it.  nbgrader's own commands do the work, started as an instructor starts them; what they
print goes to `demo.log` in the course directory.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from rich.console import Console
from rich.markup import escape

from grader import cli
from grader.exercises import get
from grader.nbgrader.errors import CourseError
from grader.nbgrader.marks import Mark, marks, print_marks
from grader.nbgrader.quickstart import quickstart
from grader.notebook.answers import marker


@dataclass(frozen=True)
class Sample:
    """One student's hand-in.  `answers` maps an exercise to the stem of a file under `tests/submissions`."""

    student: str
    story: str
    answers: dict[str, str]

    def lessons(self) -> dict[str, dict[str, str]]:
        """Return the answers by lesson: only lessons with an answer are handed in."""
        found: dict[str, dict[str, str]] = {}
        for exercise, stem in self.answers.items():
            found.setdefault(get(exercise).lesson, {})[exercise] = stem
        return found


SAMPLES = (
    Sample(
        "right",
        "as the course teaches it",
        {
            "add_relu": "right__current_stream_contiguous",
            "add_relu_function": "right__backward_kernel",
            "side_stream_scale": "right__current_stream",
        },
    ),
    Sample(
        "right-otherwise",
        "right, unlike the model answers",
        {
            "add_relu": "right__grid_stride_64_bit",
            "add_relu_function": "right__output_saved",
            "side_stream_scale": "right__fork_and_join_with_events",
        },
    ),
    Sample(
        "default-stream",
        "launches on the default stream",
        {"side_stream_scale": "wrong__stream_race__starting_version"},
    ),
    Sample("missing-contiguous", "ignores strides", {"add_relu": "wrong__close__missing_contiguous"}),
    Sample("off-by-one", "writes one past the end", {"add_relu": "wrong__memory__off_by_one_write"}),
    Sample(
        "wrong-gradient",
        "passes the gradient where the ReLU was off",
        {"add_relu_function": "wrong__gradcheck__mask_forgotten"},
    ),
    Sample("null-pointer", "follows a null pointer", {"add_relu": "wrong__memory__null_pointer"}),
)


LESSONS = tuple(sorted({lesson for sample in SAMPLES for lesson in sample.lessons()}))
"""What is released: the lessons to which something is handed in."""


_HAND_IN = re.compile(r"Converting notebook .*submitted/(?P<student>[^/]+)/")
_VERDICT = re.compile(r"\] (?P<headline>[✓✗○!] \w+: .*)")


class StepFailedError(Exception):
    """A step of the demo ended with an error; the text says which and what it printed last."""


def answered(released: NotebookNode, answers: dict[str, str], samples: Path) -> NotebookNode:
    """Return a released notebook with files of the corpus pasted into its answer cells."""
    for cell in released.cells:
        found = marker(cell.source) if cell.cell_type == "code" else None
        if found is None or found.kind == "check" or found.exercise not in answers:
            continue
        suffix = {"cuda": ".cu", "python": ".py"}[found.kind]
        file = samples / found.exercise / (answers[found.exercise] + suffix)
        first_line = cell.source.split("\n", 1)[0]
        cell.source = f"{first_line}\n{file.read_text(encoding='utf-8')}"
    return released


def hand_in(course: Path, samples: Path) -> None:
    """Put every sample's notebooks into `submitted/`, made from the release that learners get."""
    for sample in SAMPLES:
        for lesson, answers in sample.lessons().items():
            released = nbformat.read(course / "release" / lesson / f"{lesson}.ipynb", as_version=4)
            target = course / "submitted" / sample.student / lesson / f"{lesson}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(answered(released, answers, samples), target)


def nbgrader(course: Path, arguments: Sequence[str], show: Callable[[str], None]) -> None:
    """Run one of nbgrader's commands in the course directory, passing on each line as it comes.

    Raises `StepFailedError` with the last lines.
    """
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"}
    command = [str(programs / "nbgrader"), *arguments]
    last: deque[str] = deque(maxlen=15)
    pipe = subprocess.PIPE
    with (
        (course / "demo.log").open("a", encoding="utf-8") as log,
        subprocess.Popen(
            command, cwd=course, env=environment, stdout=pipe, stderr=subprocess.STDOUT, text=True
        ) as process,
    ):
        log.write(f"$ nbgrader {' '.join(arguments)}\n")
        for line in process.stdout or ():
            log.write(line)
            last.append(line.rstrip())
            show(line.rstrip())
    if process.returncode:
        raise StepFailedError("\n".join([f"nbgrader {' '.join(arguments)} failed:", *last]))


class Watch:
    """Says which hand-in gets which verdict, as nbgrader's log comes in."""

    def __init__(self) -> None:
        """Know of no hand-in yet."""
        self._student = ""

    def told(self, line: str) -> str:
        """Return what a line of the log tells: a verdict on a sample's answer, or nothing."""
        if found := _HAND_IN.search(line):
            self._student = found["student"]
        found = _VERDICT.search(line)
        shown = found and found["headline"].split()[1].rstrip(":") in _answers(self._student)
        return f"         {self._student:<18}  {found['headline']}" if found and shown else ""


def _answers(student: str) -> dict[str, str]:
    """Return a sample's answers, by exercise; none for a student who is no sample."""
    return next((sample.answers for sample in SAMPLES if sample.student == student), {})


def step(course: Path, console: Console, command: str, lesson: str) -> None:
    """Run one command for one lesson, with what it is doing on the last line of the terminal."""
    title = f"nbgrader {command} {lesson}"
    started = time.monotonic()
    watch = Watch()
    with console.status(title) as status:

        def show(line: str) -> None:
            status.update(f"{title}  {escape(line[-70:])}")
            if told := watch.told(line):
                console.print(told, highlight=False, markup=False, soft_wrap=True)

        nbgrader(course, (command, lesson, "--force"), show)
    console.print(f"{time.monotonic() - started:5.0f} s  {title}", highlight=False)


def run(course: Path, samples: Path, console: Console) -> None:
    """Do all of it and print the table of marks.  Raises `StepFailedError`."""
    if cli.main(["setup"]):
        raise StepFailedError("The simulator could not be built; the reason is above.")
    try:
        quickstart(course)
    except (CourseError, OSError) as error:
        raise StepFailedError(f"The course could not be set up: {error}") from error
    print(f"The course is in {course}.", flush=True)
    for lesson in LESSONS:
        step(course, console, "generate_assignment", lesson)
    hand_in(course, samples)
    for sample in SAMPLES:
        console.print(f"handed in  {sample.student}: {sample.story}", highlight=False)
    for command in ("autograde", "generate_feedback"):
        for lesson in LESSONS:
            step(course, console, command, lesson)
    print_marks(sampled(marks(course)))
    print(
        f"Exercises that a sample does not answer are left out; `grader marks {course}` has all.\n"
        f"Feedback for students: {course / 'feedback'}\nWhat nbgrader printed: {course / 'demo.log'}"
    )


def sampled(rows: Iterable[Mark]) -> list[Mark]:
    """Return the marks of what the samples answer: the rest of their lessons is as it was released."""
    return [row for row in rows if row.exercise in _answers(row.student)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo from the command line."""
    parser = argparse.ArgumentParser(prog="python -m grader.demo", description=__doc__)
    parser.add_argument("course", type=Path, help="course directory, made when it is not there")
    parser.add_argument("--samples", type=Path, required=True, help="the corpus: EXERCISE/STEM.cu and .py")
    options = parser.parse_args(argv)
    try:
        run(options.course.resolve(), options.samples.resolve(), Console(stderr=True))
    except StepFailedError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
