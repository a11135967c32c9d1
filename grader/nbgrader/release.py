"""`solutions/NN_topic.md` to `notebooks/NN_topic/NN_topic.ipynb`, through nbgrader's own generate step.

The result is a function of the lesson and the declarations: no outputs, no paths, the same bytes each time.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat

from grader.nbgrader.errors import CourseError

REPOSITORY = Path(__file__).resolve().parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Write the notebooks, or with `--check` fail when one differs from its lesson."""
    parser = argparse.ArgumentParser(prog="grader release", description=__doc__)
    parser.add_argument("lessons", nargs="*", help="lessons such as 02_load_inline; all by default")
    parser.add_argument("--check", action="store_true", help="write nothing, fail when one is out of step")
    parser.add_argument("--solutions", type=Path, default=REPOSITORY / "solutions")
    parser.add_argument("--notebooks", type=Path, default=REPOSITORY / "notebooks")
    options = parser.parse_args(arguments)
    try:
        released = release(lessons(options.solutions, options.lessons))
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    stale = list(_stale(released, options.notebooks, everything=not options.lessons))
    for path, problem in stale:
        print(f"{_shown(path)} {problem}", file=sys.stderr if options.check else sys.stdout)
    if options.check:
        if stale:
            print("Run `make release` and commit the result.", file=sys.stderr)
        return 1 if stale else 0
    _write(released, options.notebooks, stale)
    return 0


def lessons(solutions: Path, wanted: Iterable[str] = ()) -> list[Path]:
    """Return the authored lessons in order; `wanted` names some of them.  Raises `CourseError` for none."""
    found = sorted(solutions.glob("[0-9][0-9]_*.md"))
    names = [path.stem for path in found]
    for name in wanted:
        if name not in names:
            raise CourseError(f"No lesson {name} in {solutions}. There are: {', '.join(names) or 'none'}.")
    if not found:
        raise CourseError(f"No lessons (NN_topic.md) in {solutions}. Name their folder with --solutions.")
    return [path for path in found if not wanted or path.stem in wanted]


def release(paths: Iterable[Path]) -> dict[str, str]:
    """Return the released notebook's text of each lesson, by the lesson's name."""
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder)
        released = {}
        for lesson in paths:
            write_source(lesson, course / "source")
            generate(course, lesson.stem)
            notebook = course / "release" / lesson.stem / f"{lesson.stem}.ipynb"
            released[lesson.stem] = _normal(notebook)
        return released


def write_source(lesson: Path, source: Path) -> Path:
    """Write nbgrader's source notebook of a lesson below a course's `source` folder; return its path."""
    path = source / lesson.stem / f"{lesson.stem}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source_text(lesson), encoding="utf-8")
    return path


def source_text(lesson: Path) -> str:
    """Return the text of nbgrader's source notebook of a lesson."""
    from grader.nbgrader.declare import source_notebook

    return nbformat.writes(source_notebook(lesson)) + "\n"


def generate(course: Path, assignment: str) -> None:
    """Run nbgrader's generate step on one assignment of a course; raise `CourseError` if it fails."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    from grader.nbgrader.config import configure

    config = Config()
    configure(config, course)
    directory = CourseDirectory(config=config, assignment_id=assignment)
    step = GenerateAssignment(coursedir=directory, config=config)
    step.log = logging.getLogger("grader.release")
    step.force = True
    try:
        step.start()
    except NbGraderException as error:
        raise CourseError(f"nbgrader could not generate {assignment}: {error}") from error


def _normal(path: Path) -> str:
    """Return a released notebook's text without anything that depends on when or where it was made."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop("toc", None)
    return nbformat.writes(notebook, version=4) + "\n"


def _stale(released: dict[str, str], notebooks: Path, everything: bool) -> Iterator[tuple[Path, str]]:
    """Yield each notebook that differs from its lesson or has none, with the difference in words."""
    for name, text in released.items():
        path = notebooks / name / f"{name}.ipynb"
        if not path.exists():
            yield path, "is missing"
        elif path.read_bytes() != text.encode():
            yield path, "differs from its lesson"
    for path in sorted(notebooks.glob("*/*.ipynb")) if everything else ():
        if path.stem not in released or path.parent.name != path.stem:
            yield path, "has no lesson"


def _write(released: dict[str, str], notebooks: Path, stale: list[tuple[Path, str]]) -> None:
    """Bring the stale notebooks in step."""
    for path, _ in stale:
        if path.stem in released:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(released[path.stem].encode())
        else:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
    print(f"{len(released)} lessons released to {_shown(notebooks)}, {len(stale)} of them changed")


def _shown(path: Path) -> str:
    """Return a path relative to the current directory where it lies below it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


if __name__ == "__main__":
    sys.exit(main())
