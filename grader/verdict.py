"""What a judged submission earned, and why.

A `Verdict` is plain data.  It crosses no trust boundary by itself: only the judge makes one.
The JSON form is part of the command line's contract (`docs/architecture.md`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How a check, or a whole submission, came out."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_ATTEMPTED = "not_attempted"
    ENVIRONMENT = "environment"
    NEEDS_GPU = "needs_gpu"
    NOT_RUN = "not_run"
    """Only for a check: a check that it depends on failed first, so nothing was observed."""


@dataclass(frozen=True)
class Place:
    """A place in the learner's source.  `line` is the line that the learner's editor shows."""

    line: int
    column: int | None = None
    file: str = "cell"
    text: str = ""
    """The offending source line, without its newline."""

    def to_json(self) -> dict[str, Any]:
        """Return the `where` object of the command line's JSON."""
        return {"file": self.file, "line": self.line, "column": self.column, "text": self.text}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Place:
        """Return the place that `to_json` described."""
        return cls(value["line"], value["column"], value["file"], value["text"])


@dataclass(frozen=True)
class CheckResult:
    """What one check observed.  `message` is empty only for a check that passed without a remark."""

    name: str
    verdict: Outcome
    score: float
    max_score: float
    message: str = ""
    where: Place | None = None
    details: tuple[dict[str, Any], ...] = ()
    """Reports of the simulator or value samples, for pictures.  Not part of the JSON."""

    def to_json(self) -> dict[str, Any]:
        """Return one element of `checks` in the command line's JSON."""
        return {
            "name": self.name,
            "verdict": str(self.verdict),
            "score": self.score,
            "max_score": self.max_score,
            "message": self.message,
            "where": self.where.to_json() if self.where else None,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> CheckResult:
        """Return the result that `to_json` described, with `details` where they were added to it."""
        return cls(
            value["name"],
            Outcome(value["verdict"]),
            value["score"],
            value["max_score"],
            value["message"],
            Place.from_json(value["where"]) if value["where"] else None,
            tuple(value.get("details", ())),
        )


@dataclass(frozen=True)
class Verdict:
    """The result of judging one submission to one exercise on one device.

    `seconds` has the keys `build`, `run` and `total`.
    """

    exercise: str
    device: str
    verdict: Outcome
    score: float
    max_score: float
    checks: tuple[CheckResult, ...] = ()
    seconds: dict[str, float] = field(default_factory=lambda: {"build": 0.0, "run": 0.0, "total": 0.0})
    message: str = ""
    """Said when there is no check to say it: not attempted, environment, needs_gpu."""

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return self.verdict is Outcome.PASSED

    def to_json(self) -> dict[str, Any]:
        """Return the object that `grader check --json` prints."""
        return {
            "exercise": self.exercise,
            "device": self.device,
            "verdict": str(self.verdict),
            "score": self.score,
            "max_score": self.max_score,
            "checks": [check.to_json() for check in self.checks],
            "seconds": self.seconds,
            "message": self.message,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Verdict:
        """Return the verdict that `to_json` described."""
        return cls(
            value["exercise"],
            value["device"],
            Outcome(value["verdict"]),
            value["score"],
            value["max_score"],
            tuple(CheckResult.from_json(check) for check in value["checks"]),
            value["seconds"],
            value["message"],
        )
