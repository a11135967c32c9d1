"""A judge that reads its verdict from the answer's text, so that course tests need no compiler.

`// score 2` in the text earns two points, `// environment` and `// needs_gpu` ask for those, and
`// beyond the end` for the report of a write there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from grader.notebook.answers import is_stub
from grader.notebook.declarations import find
from grader.verdict import CheckResult, Outcome, Place, Verdict

CALLS: list[tuple[str, dict[str, str], str, int | None]] = []
"""Every call of every fake judge of this process, and how often one was opened."""
OPENED: list[FakeJudge] = []
BEYOND = {"kind": "out_of_bounds", "access": "write", "argument": "out", "index": 10, "numel": 10}


class FakeJudge:
    """Judge by what the text says of itself."""

    def __init__(self, sandbox: str = "none") -> None:
        """Take the level of confinement: nothing runs here."""
        self.sandbox = sandbox

    def __enter__(self) -> FakeJudge:
        """Count the opening."""
        OPENED.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing."""

    def judge(
        self, exercise: str, texts: Mapping[str, str], *, device: str, seed: int | None, first_line: int = 2
    ) -> Verdict:
        """Return the verdict that the text asks for."""
        CALLS.append((exercise, dict(texts), device, seed))
        text = "\n".join(texts.values())
        points = find(exercise).points
        if any(is_stub(exercise, one) for one in texts.values()):
            return Verdict(exercise, "sim", Outcome.NOT_ATTEMPTED, 0.0, points, message="not attempted")
        for outcome in (Outcome.ENVIRONMENT, Outcome.NEEDS_GPU):
            if f"// {outcome}" in text:
                return Verdict(exercise, "sim", outcome, 0.0, points, message=f"said {outcome}")
        found = re.search(r"(?://|#) score (\d+)", text)
        score = float(found[1]) if found else 0.0
        return Verdict(exercise, "sim", *_outcome(score, points, (BEYOND,) if "// beyond" in text else ()))


def _outcome(
    score: float, points: float, details: tuple[dict[str, Any], ...]
) -> tuple[Outcome, float, float, tuple[CheckResult, ...]]:
    passed = score >= points
    outcome = Outcome.PASSED if passed else Outcome.FAILED
    place = None if passed else Place(3, 5, text="    out[i] = 0;")
    message = "" if passed else "expected 2 <at> index 7, got 1 & more"
    return outcome, score, points, (CheckResult("close", outcome, score, points, message, place, details),)
