"""`python -m tests.attacks.kills`: processes killed at seeded moments of a batch, and the marks afterwards.

Each moment is a fresh course.  One of the batch (which writes the gradebook), the judge's process, the parent
of the workers or a worker is killed; then the same command is run until it is through, as the message says.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.batch import LESSON, Course, HandIn, adopt_orphans, honest

VICTIMS = ("batch", "judge", "nursery", "worker")
_TOLD = {"judge": "grader.judge.server", "nursery": "grader.judge.nursery"}
_RUNS = 4
_SEED = "9" * 64
_UNHURT = "unhurt"


@dataclass(frozen=True)
class Moment:
    """What was killed when, and what was wrong afterwards: nothing, if all is well."""

    victim: str
    delay: float
    runs: int
    wrong: list[str]


class Class:
    """A course with hand-ins, the marks that they get undisturbed, and how long that takes."""

    def __init__(self, students: int) -> None:
        """Release the lesson, hand in, and grade once without a disturbance."""
        self._template = Course(_SEED)
        self._hand_ins: list[HandIn] = list(honest(students))
        for one in self._hand_ins:
            self._template.hand_in(one, mark="0")
        with self.copy() as course:
            started = time.monotonic()
            course.nbgrader("autograde", LESSON)
            self.seconds = time.monotonic() - started
            self.marks = course.marks()

    @contextlib.contextmanager
    def copy(self) -> Iterator[Course]:
        """Give a fresh copy of the course."""
        course = object.__new__(Course)
        course.folder = self._template.folder.with_name(f"{self._template.folder.name}-copy")
        course.root, course.temporary = course.folder / "course", course.folder / "temporary"
        shutil.copytree(self._template.folder, course.folder)
        with course:
            yield course

    def close(self) -> None:
        """Remove the course."""
        self._template.__exit__()


def moments(number: int, seed: int, students: int) -> Iterator[Moment]:
    """Yield what came of each moment."""
    adopt_orphans()
    chosen = random.Random(seed)
    taught = Class(students)
    try:
        for index in range(number):
            victim, share = VICTIMS[index % len(VICTIMS)], chosen.random()
            with taught.copy() as course:
                yield _moment(course, taught, victim, share * taught.seconds)
    finally:
        taught.close()


def _moment(course: Course, taught: Class, victim: str, delay: float) -> Moment:
    process = course.start("autograde", LESSON)
    struck = _strike(process, victim, delay)
    process.wait()
    runs = 1
    while (status := course.nbgrader("autograde", LESSON)) and runs < _RUNS:
        runs += 1
    wrong = [f"{name}: {mark} and not {taught.marks[name]}" for name, mark in course.marks().items()
             if mark != taught.marks[name]]  # fmt: skip
    wrong += [f"{name}: missing" for name in taught.marks.keys() - course.marks().keys()]
    wrong += [f"after {runs} runs the batch still fails"] if status else []
    wrong += [line for line in course.left() if not line.startswith("file ")]
    return Moment(victim if struck else _UNHURT, delay, runs + 1, wrong)


def _strike(process: subprocess.Popen[bytes], victim: str, delay: float) -> bool:
    """Kill the victim at its moment, or as soon after it as there is one; return whether there was."""
    time.sleep(delay)
    while process.poll() is None:
        for pid in _pids(process.pid, victim):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                return True
        time.sleep(0.01)
    return False


def _pids(batch: int, victim: str) -> list[int]:
    if victim == "batch":
        return [batch]
    below = list(_below(batch))
    nurseries = [pid for pid in below if _is(pid, _TOLD["nursery"])]
    if victim == "worker":  # forked, so it has its parent's command line
        return [pid for pid in nurseries if _parent(pid) in nurseries and not _is(pid, "bwrap")]
    return [pid for pid in below if _is(pid, _TOLD[victim])]


def _below(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from _below(child)


def _is(pid: int, word: str) -> bool:
    with contextlib.suppress(OSError):
        return word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def _parent(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Kill at so many moments, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--students", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=None, help="stop after so long")
    options = parser.parse_args(arguments)
    started, struck, bad = time.monotonic(), Counter[str](), 0
    for moment in moments(options.moments, options.seed, options.students):
        struck[moment.victim] += 1
        bad += bool(moment.wrong)
        told = "; ".join(moment.wrong) or "every mark right, none twice, none missing"
        print(
            f"{sum(struck.values()):4} {moment.victim:8} {moment.delay:6.2f} s, {moment.runs} runs: {told}",
            flush=True,
        )
        if options.seconds is not None and time.monotonic() - started > options.seconds:
            break
    counted = ", ".join(f"{victim} {number}" for victim, number in sorted(struck.items()))
    print(f"{sum(struck.values())} moments ({counted}): {bad} with a wrong, missing or double mark")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
