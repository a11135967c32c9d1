"""Mutants: right submissions of the corpus, each broken in one place."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grader.agreement import Submission
from grader.mutation.operators import CUDA, PYTHON, Operator, cuda_code, python_code


@dataclass(frozen=True)
class Mutant:
    """A submission's texts with one edit, and where that is."""

    exercise: str
    origin: str
    operator: str
    file: str
    line: int
    before: str
    after: str
    cuda: str | None
    python: str | None
    check: str | None = "any"
    failing: frozenset[str] = frozenset()
    files: dict[str, str] | None = None

    @property
    def name(self) -> str:
        """Identify the mutant: submission, file, line, operator and the new line's digest."""
        mark = hashlib.sha256(self.after.encode()).hexdigest()[:6]
        return f"{self.exercise}/{self.origin}{self.file}:{self.line} {self.operator} {mark}"

    @property
    def digest(self) -> str:
        """Identify the texts."""
        return hashlib.sha256(repr((self.cuda, self.python)).encode()).hexdigest()[:16]


def mutants_of(submission: Submission) -> Iterator[Mutant]:
    """Yield every mutant of a right submission, each text once."""
    seen: set[str] = set()
    for mutant in (*_in_cuda(submission), *_in_python(submission)):
        if mutant.digest not in seen:
            seen.add(mutant.digest)
            yield mutant


def _in_cuda(submission: Submission) -> Iterator[Mutant]:
    source = submission.cuda
    if source is None:
        return
    for operator, offset, text in _edits(CUDA, cuda_code(source), source):
        yield _mutant(submission, operator, ".cu", source, offset, text, (text, submission.python))


def _in_python(submission: Submission) -> Iterator[Mutant]:
    source = submission.python
    if source is None:
        return
    for operator, offset, text in _edits(PYTHON, python_code(source), source):
        yield _mutant(submission, operator, ".py", source, offset, text, (submission.cuda, text))


def _edits(operators: Iterable[Operator], code: str, source: str) -> Iterator[tuple[str, int, str]]:
    for operator in operators:
        for offset, text in operator.edits(code, source):
            yield operator.name, offset, text


def _mutant(
    submission: Submission,
    operator: str,
    file: str,
    source: str,
    offset: int,
    text: str,
    texts: tuple[str | None, str | None],
) -> Mutant:
    row = source.count("\n", 0, offset)
    before, after = (one.split("\n")[row].strip() for one in (source, text))
    origin = submission.path.stem
    return Mutant(submission.exercise, origin, operator, file, row + 1, before, after, *texts)


def sample(mutants: Iterable[Mutant], count: int | None, seed: int) -> list[Mutant]:
    """Return `count` mutants, or all: the same ones for the same seed, in their order."""
    found = list(mutants)
    if count is None or count >= len(found):
        return found
    chosen = set(random.Random(seed).sample(range(len(found)), count))
    return [one for index, one in enumerate(found) if index in chosen]
