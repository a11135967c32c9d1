"""The corpus in counts: verdicts as expected, wrong answers that passed, right ones that failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.agreement.corpus import Submission
from grader.agreement.report import Report
from grader.agreement.results import Result

HEADINGS = (
    "exercise", "right", "wrong", "as expected", "false passes", "false fails", "other checks", "no verdict",
    "seconds",
)  # fmt: skip


@dataclass(frozen=True)
class Counts:
    """Submissions on one device.  Each that is not as expected stands under exactly one other heading."""

    right: int = 0
    wrong: int = 0
    expected: int = 0
    false_passes: int = 0
    """Wrong ones that failed nothing."""
    false_fails: int = 0
    """Right ones that failed."""
    other_checks: int = 0
    """Wrong ones that failed, though not exactly the checks that they name."""
    unjudged: int = 0
    """Without a verdict: not judged yet, or the machine's fault."""
    seconds: int = 0

    @classmethod
    def of(cls, judged: Iterable[tuple[Submission, Result | None]]) -> Counts:
        """Count submissions with what one device said about each."""
        total = cls()
        for submission, result in judged:
            total += _one(submission, result)
        return total

    def __add__(self, other: Counts) -> Counts:
        """Count both."""
        return Counts(*(a + b for a, b in zip(self.cells, other.cells, strict=True)))

    @property
    def cells(self) -> tuple[int, ...]:
        """The numbers in the order of `HEADINGS`."""
        return (
            self.right, self.wrong, self.expected, self.false_passes, self.false_fails, self.other_checks,
            self.unjudged, self.seconds,
        )  # fmt: skip


def _one(submission: Submission, result: Result | None) -> Counts:
    right = submission.check is None
    heading = _heading(submission, result)
    sides = {"right": int(right), "wrong": int(not right), heading: 1}
    return Counts(**sides, seconds=round(result.seconds) if result else 0)


def _heading(submission: Submission, result: Result | None) -> str:
    if result is None or not result.is_verdict:
        return "unjudged"
    if result.is_as_promised(submission):
        return "expected"
    if submission.check is None:
        return "false_fails"
    return "other_checks" if result.outcome == "failed" else "false_passes"


def table(report: Report, jobs: int) -> str:
    """Return the counts of each exercise on each device, and every submission that is not as expected."""
    return "\n".join(_lines(report, jobs)) + "\n"


def _lines(report: Report, jobs: int) -> Iterator[str]:
    yield "# The corpus"
    yield ""
    yield (
        "Written by `make corpus`: every submission of `tests/submissions`, judged by its source alone and "
        "compared with the verdict in its file name. A right one must pass; a wrong one must fail exactly "
        "the checks that it names."
    )
    for position, device in enumerate(report.devices):
        judged = [(row.submission, row.results[position]) for row in report.rows]
        yield from _device(report, device, judged, jobs)


def _device(
    report: Report, device: str, judged: Sequence[tuple[Submission, Result | None]], jobs: int
) -> Iterator[str]:
    yield from ("", f"## On `{device}`", "")
    for machine in report.machines(device):
        yield f"{report.date} · {', '.join(f'{key} {value}' for key, value in machine.items())}"
    yield from ("", f"| {' | '.join(HEADINGS)} |", "|---" + "|---:" * (len(HEADINGS) - 1) + "|")
    for exercise in dict.fromkeys(submission.exercise for submission, _ in judged):
        yield _row(exercise, Counts.of(pair for pair in judged if pair[0].exercise == exercise))
    yield _row("**all**", Counts.of(judged))
    yield ""
    yield f"Seconds are added over {jobs} lanes; a submission that was built before costs less."
    for submission, result in judged:
        if _heading(submission, result) != "expected":
            yield from ("", f"- `{submission.name}`: {_said(submission, result)}")


def _row(name: str, counts: Counts) -> str:
    return f"| {' | '.join((name, *map(str, counts.cells)))} |"


def _said(submission: Submission, result: Result | None) -> str:
    if result is None:
        return "not judged"
    wanted = ", ".join(sorted(submission.failing)) or "nothing"
    return f"{result.outcome}; must fail {wanted}, failed {', '.join(sorted(result.failing)) or 'nothing'}."
