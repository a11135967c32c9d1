"""A course directory that nbgrader's commands work in."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.nbgrader.errors import CourseError
from grader.nbgrader.release import REPOSITORY, lessons, source_text
from grader.nbgrader.seed import SEED_FILE, write_seed

CONFIG = '''\
"""nbgrader's configuration of this course.  Lines that you add below `configure` win."""

from pathlib import Path

from grader.nbgrader import configure

c = get_config()
configure(c, Path(__file__).resolve().parent)
c.CourseDirectory.course_id = "pytorch_cuda_extensions"
'''

README = f"""\
# Course directory

| folder or file | what it is |
|---|---|
| `source/` | lessons with model answers; generated, and yours to change |
| `release/` | what learners get: `nbgrader generate_assignment LESSON` |
| `submitted/STUDENT/LESSON/LESSON.ipynb` | what learners hand in |
| `autograded/`, `feedback/` | `nbgrader autograde LESSON`, `nbgrader generate_feedback LESSON` |
| `gradebook.db` | marks |
| `{SEED_FILE}` | draws the inputs for autograding; keep it secret, and keep a copy for regrading |

`grader marks .` prints all marks with the reason for each lost point.
nbgrader skips a hand-in that it has a mark for, a corrected one too: `grader marks .` prints the commands.
A submission that could not be judged for reasons of the machine gets no mark: `nbgrader autograde` says why,
and the same command grades it once the machine is mended.
"""


@dataclass(frozen=True)
class Step:
    """What was done about one path: `made`, `kept` (the same already) or `differs` (left alone)."""

    path: Path
    done: str


def main(arguments: list[str] | None = None) -> int:
    """Make the directory and say what was made, kept, or left alone because it differs."""
    parser = argparse.ArgumentParser(prog="grader quickstart", description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--solutions", type=Path, default=REPOSITORY / "solutions")
    options = parser.parse_args(arguments)
    try:
        steps = quickstart(options.directory, options.solutions)
    except (CourseError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    for step in steps:
        note = ", left as it is" if step.done == "differs" else ""
        print(f"{step.done:8}{step.path.relative_to(options.directory)}{note}")
    first = lessons(options.solutions)[0].stem
    here = options.directory.resolve() == Path.cwd()
    go = "Next:" if here else f"Next: cd {options.directory}, then"
    print(f"\n{go} `nbgrader generate_assignment {first}`. README.md there says what follows.")
    return 0


def quickstart(directory: Path, solutions: Path = REPOSITORY / "solutions") -> list[Step]:
    """Make a course directory; files that exist and differ are left as they are.

    Raises `CourseError` when there are no lessons, and `OSError` when the directory cannot be written.
    """
    sources = {
        directory / "source" / lesson.stem / f"{lesson.stem}.ipynb": source_text(lesson)
        for lesson in lessons(solutions)
    }
    files = {directory / "nbgrader_config.py": CONFIG, directory / "README.md": README} | sources
    steps = [_write(path, text) for path, text in files.items()]
    steps.append(_seed(directory / SEED_FILE))
    steps.append(_gradebook(directory / "gradebook.db"))
    return steps


def _write(path: Path, text: str) -> Step:
    """Write a new file; keep an existing one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        return Step(path, "kept" if path.read_text(encoding="utf-8") == text else "differs")
    path.write_text(text, encoding="utf-8")
    return Step(path, "made")


def _seed(path: Path) -> Step:
    """Make the secret seed, or see to it that only its owner reads it."""
    if path.exists():
        path.chmod(0o600)
        return Step(path, "kept")
    write_seed(path)
    return Step(path, "made")


def _gradebook(path: Path) -> Step:
    """Make an empty gradebook."""
    from nbgrader.api import Gradebook

    from grader.nbgrader.config import find_alembic

    if path.exists():
        return Step(path, "kept")
    find_alembic()
    with Gradebook(f"sqlite:///{path.resolve()}"):
        return Step(path, "made")


if __name__ == "__main__":
    sys.exit(main())
