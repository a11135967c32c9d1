"""From authored lessons to marks in one run: release, sample submissions, autograde, feedback, table.

`make demo` runs it.  nbgrader's own commands do the work, started as an instructor starts them; what they
print goes to `demo.log` in the course directory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from rich.console import Console
from rich.markup import escape

from grader import cli
from grader.exercises import get
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


def step(course: Path, console: Console, command: str, lesson: str) -> None:
    """Run one command for one lesson, with what it is doing on the last line of the terminal."""
    title = f"nbgrader {command} {lesson}"
    started = time.monotonic()
    with console.status(title) as status:
        nbgrader(
            course, (command, lesson, "--force"), lambda line: status.update(f"{title}  {escape(line[-70:])}")
        )
    console.print(f"{time.monotonic() - started:5.0f} s  {title}", highlight=False)


def run(course: Path, samples: Path, console: Console) -> None:
    """Do all of it and print the table of marks.  Raises `StepFailedError`."""
    if cli.main(["setup"]) or cli.main(["quickstart", str(course)]):
        raise StepFailedError("The course could not be set up; the reason is above.")
    for lesson in LESSONS:
        step(course, console, "generate_assignment", lesson)
    hand_in(course, samples)
    for sample in SAMPLES:
        console.print(f"handed in  {sample.student}: {sample.story}", highlight=False)
    for command in ("autograde", "generate_feedback"):
        for lesson in LESSONS:
            step(course, console, command, lesson)
    if cli.main(["marks", str(course)]):
        raise StepFailedError("The marks could not be read; the reason is above.")
    print(f"Feedback for students: {course / 'feedback'}\nWhat nbgrader printed: {course / 'demo.log'}")


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
