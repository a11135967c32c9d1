"""`check` and `hint`, as a lesson's cells call them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from grader.notebook import card
from grader.notebook.answers import Marker, digest, is_stub
from grader.notebook.declarations import Declared, find
from grader.notebook.display import in_notebook, progress, show, validating
from grader.notebook.judging import CUDA_FIRST_LINE
from grader.notebook.session import SESSION, shell
from grader.verdict import CheckResult, Outcome, Verdict

_DRAWN = 20_000
"""How long a report may be to be drawn: a larger one was not written by the simulator."""


class Report:
    """A verdict as a cell's result: a card where HTML is rendered.

    Its `repr` and its `text/plain` are the score as a plain number, which is what nbgrader reads.
    """

    def __init__(self, verdict: Verdict) -> None:
        """Wrap a verdict."""
        self.verdict = verdict

    def __float__(self) -> float:
        """Return the score."""
        return float(self.verdict.score)

    def __repr__(self) -> str:
        """Return the score as a plain number."""
        return repr(float(self.verdict.score))

    def __str__(self) -> str:
        """Return the verdict as plain text."""
        return card.plain(self.verdict)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": card.html(self.verdict, picture=picture), "text/plain": repr(self)}


class ValidReport(Report):
    """A passing report for nbgrader's validator: shown, but not as a result that is read as a score.

    The score of today's declaration may be more than an older release's cell has points.
    """

    def _ipython_display_(self) -> None:
        show(card.html(self.verdict), card.plain(self.verdict))


def check(
    exercise: str,
    *,
    untouched: str | None = None,
    cuda: str | None = None,
    python: str | None = None,
    files: Mapping[str, str] | None = None,
    device: str = "auto",
) -> Report:
    """Judge the last-run answer cells of an exercise, or the texts given, and return the report.

    `files` are a package's, by path; those not given are the last-run `%%package` cells.
    `untouched` is the digest of the released answer cell, where the learner starts from given code.
    A text's lines are counted from 1; those of a `%%cuda` cell from the magic line.
    """
    declared = _declared(exercise)
    texts = SESSION.texts(exercise, declared.kinds)
    texts |= {kind: text for kind, text in (("cuda", cuda), ("python", python)) if text is not None}
    texts |= files or {}
    missing = _missing(declared, texts)
    stub = any(is_stub(exercise, text) for text in texts.values())
    if missing or stub or (untouched and digest(texts["cuda"]) == untouched):
        reason = missing or "The answer is as it was released."
        verdict = Verdict(exercise, device, Outcome.NOT_ATTEMPTED, 0.0, declared.points, message=reason)
    else:
        verdict = _judge(declared, texts, device, CUDA_FIRST_LINE if cuda is None else 1)
    return _shown(verdict)


def _shown(verdict: Verdict) -> Report:
    """Return the report; say it in words where the cell's result alone would not.

    nbgrader's validator shows what stands on standard error, and takes it for a failure.
    """
    if validating() and verdict.passed:
        return ValidReport(verdict)
    if validating():
        print(card.plain(verdict), file=sys.stderr)
    elif not in_notebook():
        print(card.plain(verdict))
    return Report(verdict)


def hint(exercise: str) -> None:
    """Show the next hint of an exercise, and those before it."""
    declared = _declared(exercise)
    shown = min(SESSION.hints.get(exercise, 0) + 1, len(declared.hints))
    SESSION.hints[exercise] = shown
    total = len(declared.hints)
    lines = [f"Hint {number} of {total}: {declared.hints[number - 1]}" for number in range(1, shown + 1)]
    lines.append("That was the last one." if shown == total else "Run this cell again for the next one.")
    text = "\n".join(lines) if total else f"{exercise} has no hints."
    show(card.note_card(f"Hints for {exercise}", text), text)


def picture(result: CheckResult) -> str:
    """Return the picture of a check's first report that has one, as HTML; empty when there is none."""
    from grader.notebook import plots

    drawers: dict[str, Callable[[Any], Any]] = {
        "out_of_bounds": plots.overrun,
        "stream_race": plots.timeline,
        "wrong_stream": plots.timeline,
    }
    for report in result.details:
        draw = drawers.get(str(report.get("kind")))
        if draw is None or len(repr(report)) > _DRAWN:
            continue
        try:
            return str(draw(report).html())
        except Exception:  # a picture is an extra: the message says it all, and no report may lose it
            return ""
    return ""


def _judge(declared: Declared, texts: Mapping[str, str], device: str, first_line: int) -> Verdict:
    """Return the judge's verdict; whatever goes wrong beside the answer is an environment verdict."""
    try:
        with progress(f"Judging {declared.id} …") as say:
            judge = SESSION.judge()
            verdict = judge.judge(declared.id, texts, device=device, seed=None, first_line=first_line)
            say(f"Judged {declared.id}")
            return verdict
    except Exception as error:  # the judge runs beside the kernel; its troubles are not the learner's
        SESSION.close()
        message = f"The judge could not be asked ({type(error).__name__}: {error}). Run this cell again."
        return Verdict(declared.id, device, Outcome.ENVIRONMENT, 0.0, declared.points, message=message)


def _missing(declared: Declared, texts: Mapping[str, str]) -> str:
    """Say which answer cell was not run in this kernel."""
    lost = [Marker(kind, declared.id) for kind in declared.kinds if kind not in texts]
    return (
        f"The cell that begins with `{lost[0].first_line}` has not been run in this session." if lost else ""
    )


def _declared(exercise: str) -> Declared:
    """Return the declaration, or refuse with one line and no traceback."""
    try:
        return find(exercise)
    except LookupError as error:
        refuse(str(error))


def refuse(message: str) -> NoReturn:
    """Fail the running cell with one line; outside IPython raise a plain ValueError."""
    if shell() is None:
        raise ValueError(message)
    from IPython.core.error import UsageError

    raise UsageError(message)
