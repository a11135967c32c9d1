"""The command line: `grader check`, `grader setup`, `grader exercises`, and doors to the other parts.

Exit status: 0 passed, 1 failed or not attempted, 2 usage, 3 environment or needs a GPU.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from grader.notebook import card
from grader.verdict import CheckResult, Outcome, Verdict

PASSED, FAILED, USAGE, ENVIRONMENT = 0, 1, 2, 3
_STATUS = {
    Outcome.PASSED: PASSED,
    Outcome.FAILED: FAILED,
    Outcome.NOT_ATTEMPTED: FAILED,
    Outcome.ENVIRONMENT: ENVIRONMENT,
    Outcome.NEEDS_GPU: ENVIRONMENT,
}
_DOORS = {
    "quickstart": ("grader.nbgrader.quickstart", "make a course directory"),
    "release": ("grader.nbgrader.release", "generate notebooks/ from solutions/"),
    "marks": ("grader.nbgrader.marks", "print a course's marks and the reasons for lost points"),
    "agree": ("grader.agreement", "judge the corpus on several devices and compare"),
}
"""Subcommands that a module's `main(arguments) -> int` answers."""


_UNFOLDED = 50
"""How wide the last column is on a terminal of 80 columns."""


class UsageFault(Exception):  # noqa: N818  (not an error of code: the command was not one that can be done)
    """The command cannot be done as it was written.  The message says what to do instead."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in _DOORS:
        door: Callable[[list[str]], int] = importlib.import_module(_DOORS[words[0]][0]).main
        return door(words[1:])
    options = _parser().parse_args(words)
    try:
        status: int = options.run(options)
        return status
    except UsageFault as fault:
        print(f"grader {options.command}: {fault}", file=sys.stderr)
        return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="grader", description="PyTorch CUDA extensions: exercises and verdicts."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="judge files", description="Judge the files of one exercise.")
    check.add_argument("exercise", metavar="EXERCISE")
    check.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="the .cu file, the .py file, both, or a package's folder, as the exercise asks",
    )
    check.add_argument("--device", choices=("auto", "sim", "cuda"), default="auto")
    check.add_argument("--seed", type=int, default=None, help="draw other inputs (default: the public seed)")
    check.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    check.add_argument("--exact", action="store_true", help="build for CUDA with PyTorch's own load_inline")
    check.add_argument(
        "--sandbox",
        choices=("none", "best", "full"),
        default="none",
        help="for answers of others (grader doctor)",
    )
    check.set_defaults(run=_check)
    doctor = commands.add_parser("doctor", help="say what this machine can build, run and confine")
    doctor.set_defaults(run=_doctor)
    setup = commands.add_parser("setup", help="build the simulator's runtime once for this user")
    setup.set_defaults(run=_setup)
    exercises = commands.add_parser("exercises", aliases=["list"], help="list the exercises")
    exercises.set_defaults(run=_exercises)
    for name, (_, purpose) in _DOORS.items():
        commands.add_parser(name, help=purpose, add_help=False)
    return parser


def _check(options: argparse.Namespace) -> int:
    from grader.exercises import ORDER, UnknownExerciseError

    if options.exercise not in ORDER:
        raise UsageFault(str(UnknownExerciseError(options.exercise)))
    answer = _answer(options.exercise, options.files)
    from grader.judge import EnvironmentFault, Judge

    try:
        ensure_runtime(quiet=options.json)
        session = Judge(sandbox=options.sandbox)
    except EnvironmentFault as fault:
        verdict = Verdict(options.exercise, options.device, Outcome.ENVIRONMENT, 0.0, 0.0, message=str(fault))
    else:
        with session as judge:
            verdict = judge.judge(options.exercise, answer, options.device, options.seed, options.exact)
    if verdict.verdict is Outcome.NOT_ATTEMPTED and answer.python is None and answer.files is None:
        _require_python(options.exercise, options.files[0])
    if options.json:
        print(json.dumps(verdict.to_json()))
    else:
        show(verdict)
    return _STATUS[verdict.verdict]


def _require_python(exercise_id: str, cuda: Path) -> None:
    from grader.exercises import get

    kinds = get(exercise_id).answer
    if not kinds.needs_cuda:
        raise UsageFault(f"{exercise_id} takes a .py file alone: grader check {exercise_id} ANSWER.py")
    if kinds.needs_python:
        raise UsageFault(f"{exercise_id} needs a .py file too: grader check {exercise_id} {cuda} ANSWER.py")


def _answer(exercise_id: str, files: Sequence[Path]) -> Any:
    from grader.judge import Answer

    paths = _package_paths(exercise_id)
    if paths:
        return Answer(files=_package(exercise_id, paths, files))
    texts: dict[str, tuple[Path, str]] = {}
    for path in files:
        kind = {".cu": "cuda", ".py": "python"}.get(path.suffix)
        if kind is None:
            raise UsageFault(f"{path}: expected a file whose name ends in .cu or .py")
        if kind in texts:
            raise UsageFault(f"{path}: {texts[kind][0]} was given already; give one {path.suffix} file")
        texts[kind] = (path, _read(path))
    if "cuda" not in texts and _needs_cuda(exercise_id):
        raise UsageFault(f"{exercise_id} needs a .cu file: grader check {exercise_id} ANSWER.cu {files[0]}")
    python = texts["python"][1] if "python" in texts else None
    cuda, text = texts.get("cuda", (files[0], None))
    return Answer(text, python, file=cuda.name)


def _package_paths(exercise_id: str) -> tuple[str, ...]:
    """Return the files that an answer of several files has; none for any other."""
    from grader.exercise import Files
    from grader.exercises import get

    answer = get(exercise_id).answer
    return answer.paths if isinstance(answer, Files) else ()


def _package(exercise_id: str, paths: Sequence[str], given: Sequence[Path]) -> dict[str, str]:
    """Return the package's files by path, from the one folder given."""
    if len(given) != 1 or not given[0].is_dir():
        raise UsageFault(f"{exercise_id} takes one folder, with {', '.join(paths)} in it")
    return {path: _read(given[0] / path) for path in paths if (given[0] / path).exists()}


def _needs_cuda(exercise_id: str) -> bool:
    from grader.exercises import get

    return get(exercise_id).answer.needs_cuda


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageFault(
            f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8 and try again"
        ) from error
    except OSError as error:
        raise UsageFault(f"{path} cannot be read: {error.strerror}") from error


def _setup(options: argparse.Namespace) -> int:
    from grader.judge import EnvironmentFault

    try:
        folder, size = ensure_runtime(quiet=False)
    except EnvironmentFault as fault:
        print(f"grader setup: {fault}", file=sys.stderr)
        return ENVIRONMENT
    print(f"The simulator's runtime is in {folder} ({size / 1e6:.0f} MB).")
    return PASSED


def _doctor(options: argparse.Namespace) -> int:
    """Print each ability and, where it is missing, how to get it; fail if nothing can be judged."""
    from rich.console import Console
    from rich.table import Table

    from grader.judge.doctor import findings

    table = Table("what", "", "next step", box=None, header_style="bold")
    found = findings()
    for one in found:
        mark = "[green]yes[/]" if one.present else "[red]no[/]" if one.needed else "[yellow]no[/]"
        table.add_row(one.what, mark, "" if one.present else one.advice)
    Console().print(table)
    return PASSED if all(one.present for one in found if one.needed) else ENVIRONMENT


def _exercises(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.table import Column, Table

    from grader.exercises import all_exercises

    names = Column("exercise", no_wrap=True)
    table = Table(names, "lesson", "points", "answer", box=None, header_style="bold")
    for exercise in all_exercises():
        answer = exercise.answer
        given = " + ".join(["cu"] * answer.needs_cuda + ["py"] * answer.needs_python) or "folder"
        table.add_row(exercise.id, exercise.lesson, str(exercise.points), f"{given}: {answer.signature}")
    Console().print(table)
    return PASSED


def show(verdict: Verdict) -> None:
    """Print a verdict as a table, with the reason for each lost point."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    style = "green" if verdict.passed else "yellow" if verdict.verdict is Outcome.NOT_ATTEMPTED else "red"
    points = f"{verdict.score:g} of {verdict.max_score:g} points" if verdict.max_score else ""
    word = str(verdict.verdict).replace("_", " ")
    console.print(f"[bold]{verdict.exercise}[/] on {verdict.device}: [{style}]{word}[/]  {points}")
    if verdict.message:
        console.print(escape(verdict.message))
    if not verdict.checks:
        return
    table = Table("check", "", "points", "what was seen", box=None, header_style="bold", pad_edge=False)
    for check in verdict.checks:
        mark = {Outcome.PASSED: "[green]passed[/]", Outcome.FAILED: "[red]failed[/]"}.get(
            check.verdict, "not run"
        )
        worth = f"{check.score:g}/{check.max_score:g}" if check.max_score else ""
        table.add_row(check.name, mark, worth, escape("\n".join(_seen(check))))
    console.print(table)
    console.print(
        f"[dim]{verdict.seconds['total']:.1f} s, of which building {verdict.seconds['build']:.1f} s[/]"
    )


def _seen(check: CheckResult) -> list[str]:
    """Return the message and the source line, with a caret where the table does not fold that line."""
    shown = card.excerpt(check.where, indented=False).splitlines()
    fits = all(len(line) <= _UNFOLDED for line in shown)
    return [line for line in (*card.said(check).splitlines(), *(shown if fits else shown[:1])) if line]


def ensure_runtime(quiet: bool) -> tuple[Path, int]:
    """Build the simulator's runtime if needed, showing progress; return folder, and bytes unless quiet."""
    from grader.toolchain import runtime
    from grader.toolchain.progress import shown

    if quiet:
        found = runtime.ensure()
    else:
        with shown() as watcher:
            found = runtime.ensure(watcher)
    folders = () if quiet else (found.directory, found.headers)
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return found.directory, sum(path.stat().st_size for path in files)


if __name__ == "__main__":
    sys.exit(main())
