"""The report that is committed: both devices' verdicts, check by check, and every place where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grader.agreement.corpus import Submission
from grader.agreement.results import Result, Results, disagreements

_MARK = {"passed": "pass", "failed": "FAIL", "not_run": "-", "needs_gpu": "gpu", "environment": "env"}


@dataclass(frozen=True)
class Row:
    """One submission with what each device said, in the order of `Report.devices`."""

    submission: Submission
    results: tuple[Result | None, ...]

    @property
    def judged(self) -> tuple[Result, ...]:
        """The results that exist."""
        return tuple(result for result in self.results if result)

    @property
    def is_complete(self) -> bool:
        """Whether every device has judged it."""
        return all(self.results)

    @property
    def differing(self) -> tuple[str, ...]:
        """Checks that came out differently on two devices that both judged it."""
        first, *others = self.judged or (None,)
        if first is None:
            return ()
        return tuple(dict.fromkeys(name for other in others for name in disagreements(first, other)))

    @property
    def unexpected(self) -> tuple[Result, ...]:
        """Results that are not what the corpus promises."""
        return tuple(result for result in self.judged if not result.is_as_promised(self.submission))


@dataclass(frozen=True)
class Report:
    """The corpus as judged on `devices`."""

    date: str
    devices: tuple[str, ...]
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, date: str, devices: Sequence[str], corpus: Iterable[Submission], results: Results) -> Report:
        """Put together what is stored for each submission of the corpus."""
        rows = (Row(entry, tuple(results.of(entry, device) for device in devices)) for entry in corpus)
        return cls(date, tuple(devices), tuple(rows))

    @property
    def agrees(self) -> bool:
        """Whether every submission was judged on every device, alike, and as promised."""
        return all(row.is_complete and not row.differing and not row.unexpected for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Return everything, with the verdicts in full."""
        return {
            "date": self.date,
            "devices": self.devices,
            "machines": {device: self.machines(device) for device in self.devices},
            "agrees": self.agrees,
            "submissions": [self._row_json(row) for row in self.rows],
        }

    def to_markdown(self) -> str:
        """Return the report for people."""
        return "\n".join(self._lines()) + "\n"

    def summary(self) -> str:
        """Return the counts in one line."""
        complete = [row for row in self.rows if row.is_complete]
        alike = sum(not row.differing for row in complete)
        promised = sum(not row.unexpected for row in complete)
        return (
            f"{len(self.rows)} submissions, {len(complete)} judged on {' and '.join(self.devices)}: "
            f"{alike} alike in every check, {promised} as the corpus promises."
        )

    def machines(self, device: str) -> list[dict[str, str]]:
        """Return each machine whose results of `device` are in the report."""
        position = self.devices.index(device)
        found = [row.results[position] for row in self.rows]
        distinct = dict.fromkeys(tuple(sorted(result.machine.items())) for result in found if result)
        return [dict(pairs) for pairs in distinct]

    def _row_json(self, row: Row) -> dict[str, Any]:
        return {
            "submission": row.submission.name,
            "must_fail": sorted(row.submission.failing),
            "digest": row.submission.digest,
            "differing": row.differing,
            "as_promised": not row.unexpected,
            "results": {
                device: {"verdict": result.verdict, "error": result.error, "seconds": result.seconds}
                for device, result in zip(self.devices, row.results, strict=True)
                if result
            },
        }

    def _lines(self) -> Iterator[str]:
        yield f"# Agreement of {' and '.join(self.devices)}, {self.date}"
        yield ""
        yield self.summary()
        yield ""
        yield "| device | machine |"
        yield "|---|---|"
        for device in self.devices:
            for machine in self.machines(device):
                yield f"| {device} | {', '.join(f'{key} {value}' for key, value in machine.items())} |"
        yield from self._differences()
        yield from self._surprises()
        for exercise in dict.fromkeys(row.submission.exercise for row in self.rows):
            yield from self._table(exercise)

    def _differences(self) -> Iterator[str]:
        yield from ("", "## Disagreements", "")
        differing = [row for row in self.rows if row.differing]
        if not differing:
            yield "None."
        for row in differing:
            for check in (
                ["verdict"] if any(not result.is_verdict for result in row.judged) else row.differing
            ):
                yield f"- `{row.submission.name}`, check `{check}`"
                for result in row.judged:
                    verdict = result.checks.get(check, result.outcome)
                    yield f"  - {result.device}: {verdict}. {_inline(result.message(check))}"

    def _surprises(self) -> Iterator[str]:
        yield from ("", "## Verdicts that the corpus does not promise", "")
        rows = [row for row in self.rows if row.unexpected]
        if not rows:
            yield "None."
        for row in rows:
            wanted = ", ".join(sorted(row.submission.failing)) or "nothing"
            for result in row.unexpected:
                got = ", ".join(sorted(result.failing)) or "nothing"
                yield f"- `{row.submission.name}` on {result.device}: must fail {wanted}, failed {got}."
                for check in sorted(result.failing ^ row.submission.failing) or ["verdict"]:
                    if result.message(check):
                        yield f"  - `{check}`: {_inline(result.message(check))}"

    def _table(self, exercise: str) -> Iterator[str]:
        rows = [row for row in self.rows if row.submission.exercise == exercise]
        names = list(dict.fromkeys(name for row in rows for result in row.judged for name in result.checks))
        yield from ("", f"## {exercise}", "", "A cell holds one word where the devices agree.", "")
        yield f"| submission | {' | '.join(names)} | seconds |"
        yield "|---" * (len(names) + 2) + "|"
        for row in rows:
            cells = [_cell([_mark(result, name) for result in row.results]) for name in names]
            seconds = " / ".join(f"{result.seconds:.1f}" if result else "?" for result in row.results)
            yield f"| {row.submission.path.stem} | {' | '.join(cells)} | {seconds} |"


def _mark(result: Result | None, check: str) -> str:
    if result is None:
        return "?"
    verdict = result.checks.get(check, "error" if result.verdict is None else "not_run")
    return _MARK.get(verdict, verdict)


def _cell(marks: list[str]) -> str:
    return marks[0] if len(set(marks)) == 1 else " / ".join(marks)


def _inline(text: str, most: int = 400) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most] + " ..."
