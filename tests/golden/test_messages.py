"""Golden messages: what varies is left out, and what means nothing to learners is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.verdict import CheckResult, Outcome, Place, Verdict
from tests.golden import messages


def verdict(message: str, where: Place | None = None) -> Verdict:
    """Return a verdict whose only failed check says `message`."""
    checks = (
        CheckResult("build", Outcome.PASSED, 1.0, 1.0),
        CheckResult("close", Outcome.FAILED, 0.0, 1.0, message, where),
    )
    return Verdict("add_relu", "sim", Outcome.FAILED, 1.0, 2.0, checks)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            '3 of 12 values are wrong (case "one", shape [1]); at [0]: got -1.5e-07, expected 2. Round up.',
            '# of 12 values are wrong (case "one", shape [1]); at [0]: got #, expected #. Round up.',
        ),
        ("k ran on stream 7 while stream 0 was current", "k ran on stream N while stream 0 was current"),
        ("line 9, block 0, thread 3, 71 times", "line 9, block 0, thread 3, # times"),
        ("takes 1, got 2", "takes 1, got 2"),
    ],
)
def test_what_depends_on_values_is_left_out(said: str, kept: str) -> None:
    """Drawn numbers, counts and streams vary; lines, threads, sizes and words do not."""
    assert messages.told(verdict(said)) == f"close: {kept}"


def test_the_line_that_is_pointed_to_stays() -> None:
    """A message that points to another line is another message."""
    assert messages.told(verdict("wrong", Place(7, text="  a = b;"))) == "close: wrong\n  line 7: a = b;"


@pytest.mark.parametrize(
    "text",
    [
        "at 0x7f3dd8f39120",
        "in /tmp/x/unit.cu",
        "/usr/include/c++/12/tuple: no",
        "sim::kernel",
        "module.so+0x3",
    ],
)
def test_what_means_nothing_to_learners_is_seen(text: str) -> None:
    """An address, a path of this machine or a name of our own is found; a fraction is no path."""
    assert messages.foreign(f"f: {text}.") is not None
    assert messages.foreign("look for 0 / 0, (n + 255) / 256, a[i]/b[i] and std::min") is None


def test_messages_survive_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is written is read back, several lines and brackets included."""
    monkeypatch.setattr(messages, "FOLDER", tmp_path)
    kept = {"wrong__close__a": "close: at [0]: x\n  line 3: a[i]", "wrong__memory__b": "memory: y"}
    messages.write("toy", kept)
    assert messages.read("toy") == kept
    assert messages.read("other") == {}


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (
            'memory: k reads x[7] (case "b", shape [2], block (0, 4)). Compare. 3 of 4 cases are wrong.',
            True,
        ),
        ('memory: k writes x[7] (case "a", shape [2]). Compare.', False),
        ('memory: k reads x[7] (case "a", shape [2]). Look.', False),
        ('close: k reads x[7] (case "a", shape [2]). Compare.', False),
        ("memory: f did not finish within 10 s.", True),
        ("close: f did not finish within 10 s.", False),
    ],
)
def test_words_are_compared_and_not_places(other: str, same: bool) -> None:
    """Another case, element or thread is the same message; other words or another check are not."""
    accepted = 'memory: k reads x[3] (case "a", shape [5], block 1, thread 0). Compare.'
    assert messages.alike(accepted, other) is same
