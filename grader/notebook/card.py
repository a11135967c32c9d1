"""Verdicts and compiler errors as accessible HTML and as plain text.

Outcomes are told in words and by a sign, never by colour alone.  Everything that comes from a learner's
source or from a compiler is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape

from grader.verdict import CheckResult, Outcome, Place, Verdict

Picture = Callable[[CheckResult], str]
"""Returns an HTML fragment for a check, or an empty string."""

Problems = Sequence[tuple[str, Place | None]]
"""Compiler errors, the first one first."""

_SIGNS = {
    Outcome.PASSED: ("✓", "passed", "#1a7f37"),
    Outcome.FAILED: ("✗", "failed", "#b42318"),
    Outcome.NOT_ATTEMPTED: ("○", "not attempted", "#57606a"),
    Outcome.ENVIRONMENT: ("!", "could not be judged", "#8a5a00"),
    Outcome.NEEDS_GPU: ("!", "needs a GPU", "#8a5a00"),
    Outcome.NOT_RUN: ("–", "not run", "#57606a"),
}
_NEXT = {
    Outcome.NOT_ATTEMPTED: "Write your answer in its cell, run the cell, then run this one again.",
    Outcome.ENVIRONMENT: "This is not your answer's fault, and no mark is recorded.",
    Outcome.NEEDS_GPU: "Your answer uses what the simulator lacks. It is judged where there is a GPU.",
}
_PRE = (
    "margin:.3em 0;padding:.4em .6em;overflow-x:auto;"
    "border:1px solid var(--jp-border-color2,#d0d7de);background:var(--jp-cell-editor-background,#f6f8fa);"
    "color:var(--jp-content-font-color1,#1f2328)"
)
_CELL = "text-align:left;padding:.15em 1.2em .15em 0"
"""Inline, as all styles here: nbgrader's feedback pages bring none of their own for tables."""
_CODE = re.compile(r"`([^`\n]+)`")


def points(value: float) -> str:
    """Return points without needless digits."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def headline(verdict: Verdict, timed: bool = False) -> str:
    """Return the verdict in one line of plain text, with the seconds it took where nothing else says them."""
    sign, word, _ = _SIGNS[verdict.verdict]
    score = f"{points(verdict.score)} of {points(verdict.max_score)} points"
    if verdict.verdict in (Outcome.ENVIRONMENT, Outcome.NEEDS_GPU):
        score = "no mark"
    total = verdict.seconds.get("total", 0.0)
    judged = f", {verdict.device}" if total else ""
    timing = f", {total:.1f} s" if total and timed else ""
    return f"{sign} {verdict.exercise}: {word} ({score}{judged}{timing})"


def plain(verdict: Verdict, notes: Iterable[str] = ()) -> str:
    """Return the whole verdict as plain text."""
    lines = [headline(verdict)]
    lines += [f"  Note: {note}" for note in notes]
    lines += [f"  {text}" for text in (verdict.message, _NEXT.get(verdict.verdict, "")) if text]
    for check in verdict.checks:
        sign, word, _ = _SIGNS[check.verdict]
        lines.append(f"  {sign} {check.name}: {word}" + (f", {_worth(check)}" if check.max_score else ""))
        if not _speaks(check):
            continue
        lines += [f"      {line}" for line in said(check).splitlines()]
        lines += [f"      {line}" for line in excerpt(check.where).splitlines()]
    lines += [f"  {line}" for line in _in_common(verdict)]
    return "\n".join(lines)


def html(verdict: Verdict, notes: Iterable[str] = (), picture: Picture | None = None) -> str:
    """Return the verdict as an HTML fragment: a headline, a table of checks, and why points were lost."""
    _, word, colour = _SIGNS[verdict.verdict]
    label = f"Verdict on {verdict.exercise}: {word}"
    body = [f'<p style="margin:0 0 .4em"><strong>{escape(headline(verdict))}</strong></p>']
    body += [f"<p>Note: {_marked(note)}</p>" for note in notes]
    body += [f"<p>{_marked(text)}</p>" for text in (verdict.message, _NEXT.get(verdict.verdict, "")) if text]
    if verdict.checks:
        body.append(_table(verdict))
        speaking = [check for check in verdict.checks if _speaks(check)]
        body += [_reason(check, picture) for check in speaking if check.message or check.where]
        body += [f"<p>{_marked(line)}</p>" for line in _in_common(verdict)]
    return _frame(label, colour, "".join(body))


def said(check: CheckResult) -> str:
    """Return a check's message without the source line that `excerpt` shows."""
    shown = check.where.text.strip() if check.where else ""
    lines = check.message.splitlines()
    return "\n".join(line for line in lines if not shown or line.strip() != shown)


def excerpt(where: Place | None, indented: bool = True) -> str:
    """Return the source line with its number and, where the column is known, a caret below it."""
    if where is None or not where.text:
        return ""
    gutter = f"{where.line} | "
    text = where.text.expandtabs(4)
    dropped = 0 if indented else len(text) - len(text.lstrip())
    lines = [gutter + text[dropped:]]
    if where.column:
        before = len(where.text[: where.column - 1].expandtabs(4))
        lines.append(" " * (len(gutter) + max(0, before - dropped)) + "^")
    return "\n".join(lines)


def compiler_card(exercise: str, problems: Problems) -> str:
    """Return compiler errors as an HTML fragment, the first one first; further ones are folded."""
    shown = [_problem(message, where) for message, where in problems]
    body = "".join(shown[:1])
    if shown[1:]:
        more = f"{len(shown) - 1} more; often only consequences of the first"
        body += f"<details><summary>{more}</summary>{''.join(shown[1:])}</details>"
    return _frame(f"Compiler errors in {exercise}", _SIGNS[Outcome.FAILED][2], body)


def compiler_text(exercise: str, problems: Problems) -> str:
    """Return compiler errors as plain text."""
    lines = [f"Compiler errors in {exercise}:"]
    for message, where in problems:
        lines += [f"  {_line(where)}{message}", *(f"      {line}" for line in excerpt(where).splitlines())]
    return "\n".join(lines)


def note_card(label: str, text: str) -> str:
    """Return a short message as an HTML fragment."""
    return _frame(label, _SIGNS[Outcome.NOT_ATTEMPTED][2], _paragraphs(text))


def warning_card(label: str, text: str) -> str:
    """Return what went wrong without ending a cell, as an HTML fragment."""
    return _frame(label, _SIGNS[Outcome.FAILED][2], _paragraphs(text))


def _paragraphs(text: str) -> str:
    return "".join(f'<p style="margin:.2em 0">{_marked(line)}</p>' for line in text.splitlines())


def _marked(text: str) -> str:
    """Return a message as HTML: all of it escaped, and what stands between backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _worth(check: CheckResult) -> str:
    return f"{points(check.score)} of {points(check.max_score)}"


def _speaks(check: CheckResult) -> bool:
    """Whether a check has found something: what it says of not running, or of points withheld, it shares."""
    passed = check.verdict is Outcome.PASSED
    return check.verdict is not Outcome.NOT_RUN and not (passed and check.score < check.max_score)


def _in_common(verdict: Verdict) -> list[str]:
    """Return why checks were not run, or passed without points, each reason once."""
    reasons: dict[str, list[str]] = {}
    for check in verdict.checks:
        if not _speaks(check) and check.message:
            reasons.setdefault(check.message, []).append(check.name)
    return [f"{', '.join(names)}: {message}" for message, names in reasons.items()]


def _frame(label: str, colour: str, body: str) -> str:
    return (
        f'<section role="region" aria-label="{escape(label, quote=True)}" '
        f'style="border-left:.3em solid {colour};padding:.4em .8em;margin:.3em 0">{body}</section>'
    )


def _table(verdict: Verdict) -> str:
    """Return the checks and their points as a table with headers for screen readers."""
    rows = []
    for check in verdict.checks:
        sign, word, _ = _SIGNS[check.verdict]
        rows.append(
            f'<tr><th scope="row" style="{_CELL}">{escape(check.name)}</th>'
            f'<td style="{_CELL}"><span aria-hidden="true">{sign}</span> {word}</td>'
            f'<td style="{_CELL}">{_worth(check) if check.max_score else ""}</td></tr>'
        )
    caption = f"Checks of {escape(verdict.exercise)}"
    names = ("Check", "Result", "Points")
    head = "".join(f'<th scope="col" style="{_CELL}">{name}</th>' for name in names)
    return (
        f'<table><caption style="text-align:left;white-space:nowrap">{caption}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _reason(check: CheckResult, picture: Picture | None) -> str:
    """Return what a check has to say, with the source line and a picture."""
    text = _marked(said(check)).replace("\n", "<br>")
    drawn = picture(check) if picture else ""
    return (
        f'<div style="margin:.5em 0"><strong>{escape(check.name)}</strong>: {text}'
        f"{_source(check.where)}{drawn}</div>"
    )


def _problem(message: str, where: Place | None) -> str:
    return f'<div style="margin:.4em 0">{escape(_line(where))}{_marked(message)}{_source(where)}</div>'


def _line(where: Place | None) -> str:
    return f"line {where.line}: " if where else ""


def _source(where: Place | None) -> str:
    shown = excerpt(where)
    return f'<pre style="{_PRE}">{escape(shown)}</pre>' if shown else ""
