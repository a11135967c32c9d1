"""Verdicts and compiler errors as HTML and as plain text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from grader.notebook import card
from grader.verdict import CheckResult, Outcome, Place, Verdict

HOSTILE = '<script>alert(1)</script> "quoted" & more'
PLACE = Place(14, 9, text="\tout[i] = <b>;")


class _Tags(HTMLParser):
    """Collects tags, and sees that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _failed() -> Verdict:
    checks = (
        CheckResult("build", Outcome.PASSED, 0.0, 0.0),
        CheckResult("close", Outcome.FAILED, 0.0, 2.5, HOSTILE, PLACE, ({"kind": "out_of_bounds"},)),
        CheckResult("launch", Outcome.NOT_RUN, 0.0, 1.0, "Not looked at."),
        CheckResult("memory", Outcome.NOT_RUN, 0.0, 0.0, "Not looked at."),
    )
    return Verdict("add_relu", "sim", Outcome.FAILED, 1.5, 4.0, checks, {"total": 2.04})


def _parsed(html: str) -> _Tags:
    tags = _Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags


def test_a_card_is_well_formed_and_escaped() -> None:
    """Whatever a message or a source line holds, the card holds it as text."""
    html = card.html(_failed(), [HOSTILE], lambda check: "<img alt='x'>" if check.details else "")
    tags = [tag for tag, _ in _parsed(html).seen]
    assert "script" not in tags
    assert "b" not in tags
    assert tags.count("img") == 1


def test_a_card_can_be_read_aloud() -> None:
    """The region is labelled, the table has headers, and outcomes are words beside their signs."""
    seen = _parsed(card.html(_failed())).seen
    assert dict(seen)["section"]["aria-label"] == "Verdict on add_relu: failed"
    assert [attributes.get("scope") for tag, attributes in seen if tag == "th"] == ["col"] * 3 + ["row"] * 4
    html = card.html(_failed())
    for word in ("passed", "failed", "not run", "1.5 of 4 points"):
        assert word in html


def test_plain_text_says_the_same() -> None:
    """The text form has the headline, each check with its points, the message and the line with a caret."""
    text = card.plain(_failed(), ["a note"])
    assert text.splitlines() == [
        "✗ add_relu: failed (1.5 of 4 points, sim)",
        "  Note: a note",
        "  ✓ build: passed",
        "  ✗ close: failed, 0 of 2.5",
        "      " + HOSTILE,
        "      14 |     out[i] = <b>;",
        "                      ^",
        "  – launch: not run, 0 of 1",
        "  – memory: not run",
        "  launch, memory: Not looked at.",
    ]


def test_points_withheld_are_explained_once() -> None:
    """What takes every point is told first, and then once that all else passed for nothing."""
    checks = (
        CheckResult("close", Outcome.PASSED, 0.0, 2.0, "No point is given."),
        CheckResult("inputs", Outcome.PASSED, 0.0, 1.0, "No point is given."),
        CheckResult("policy", Outcome.FAILED, 0.0, 0.0, "f called aten::sum."),
    )
    verdict = Verdict("f", "sim", Outcome.FAILED, 0.0, 3.0, checks)
    for said in (card.html(verdict), card.plain(verdict)):
        assert said.count("No point is given.") == 1
        assert said.index("aten::sum") < said.index("close, inputs: No point")


def test_the_time_is_told_once() -> None:
    """A card stands below the line that says how long judging took; a log has the headline alone."""
    assert "2.0 s" not in card.html(_failed())
    assert card.headline(_failed(), timed=True) == "✗ add_relu: failed (1.5 of 4 points, sim, 2.0 s)"


def test_code_in_a_message_is_shown_as_code() -> None:
    """What stands between backticks is code in HTML, escaped like everything else."""
    check = CheckResult("memory", Outcome.FAILED, 0.0, 1.0, "Compare first: `if (i < n)`. A lone ` stays.")
    html = card.html(Verdict("x", "sim", Outcome.FAILED, 0.0, 1.0, (check,), message="Run `grader setup`."))
    _parsed(html)
    assert "<code>if (i &lt; n)</code>. A lone ` stays." in html
    assert "<code>grader setup</code>" in html
    assert "<code>x</code>" in card.note_card("Hints", "Hint 1: `x`")


def test_the_source_line_is_shown_once() -> None:
    """A message that quotes the line which the card shows with its number does not show it a second time."""
    message = f"The compiler says: no\n    {PLACE.text.strip()}\nThere is 1 more error."
    check = CheckResult("build", Outcome.FAILED, 0.0, 0.0, message, PLACE)
    verdict = Verdict("x", "sim", Outcome.FAILED, 0.0, 1.0, (check,))
    for shown in (card.html(verdict), card.plain(verdict)):
        assert shown.count("out[i]") == 1
        assert "There is 1 more error." in shown


def test_cells_keep_apart_without_a_style_sheet() -> None:
    """Each cell of the table has its padding with it: a feedback page has none for it."""
    seen = _parsed(card.html(_failed())).seen
    styles = [str(attributes.get("style")) for tag, attributes in seen if tag in ("th", "td")]
    assert len(styles) == 15
    assert all("padding" in style for style in styles)


@pytest.mark.parametrize("outcome", [Outcome.ENVIRONMENT, Outcome.NEEDS_GPU])
def test_what_was_not_judged_has_no_mark(outcome: Outcome) -> None:
    """A verdict that is nobody's fault shows no score, and says so."""
    verdict = Verdict("add_relu", "sim", outcome, 0.0, 4.0, message="no compiler")
    assert "no mark" in card.headline(verdict)
    assert "0 of 4" not in card.html(verdict)
    assert "no compiler" in card.plain(verdict)


def test_the_first_compiler_error_comes_first() -> None:
    """The first error is shown with its line and caret; the others are folded away."""
    html = card.compiler_card("add_relu", [("expected <;>", PLACE), ("then this", None)])
    seen = _parsed(html).seen
    assert html.index("expected &lt;;&gt;") < html.index("<details>") < html.index("then this")
    assert "line 14: " in html
    assert dict(seen)["section"]["aria-label"] == "Compiler errors in add_relu"
    assert "14 |     out[i] = <b>;\n" in card.compiler_text("add_relu", [("expected <;>", PLACE)])


def test_points_have_no_needless_digits() -> None:
    """Whole points are shown whole."""
    assert [card.points(value) for value in (10.0, 2.5, 0.0, 1 / 3)] == ["10", "2.5", "0", "0.33"]
