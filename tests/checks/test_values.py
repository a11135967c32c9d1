"""Python answers: what the worker sends for a value, what the judge believes, and what learners are told."""

from __future__ import annotations

from typing import Any

import pytest

from grader.judge import Answer, Judge
from grader.judge.observation import Foreign, parse_value
from grader.judge.protocol import Frame, ProtocolError
from grader.judge.worker.values import described
from grader.verdict import Outcome

FORMULAS = """
def eager_bytes(numel, itemsize, unary_ops):
    return (3 + 2 * unary_ops) * numel * itemsize


def fused_bytes(numel, itemsize, unary_ops):
    return {fused}
"""


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (7, 7),
        (1 << 70, 1 << 70),
        (True, Foreign("bool")),
        (7.0, Foreign("float")),
        ("7", Foreign("str")),
        (None, Foreign("NoneType")),
        ({"a": 1, "b": None}, {"a": 1, "b": Foreign("NoneType")}),
        ({"a": {"b": 1}}, {"a": Foreign("dict")}),
    ],
)
def test_a_value_arrives_as_what_it_is(value: Any, seen: Any) -> None:
    """Whole numbers and dicts of them arrive; a bool, a float or a text is none of these."""
    assert parse_value(Frame({"error": None, "value": described(value)})).value == seen


@pytest.mark.parametrize(
    "value", [None, 7, {"type": 7}, {"type": "dict", "items": [1]}, {"type": "dict", "items": [[1]]}]
)
def test_odd_replies_are_refused(value: Any) -> None:
    """The judge believes no reply that is not of the form."""
    with pytest.raises(ProtocolError):
        parse_value(Frame({"error": None, "value": value}))


@pytest.mark.parametrize("number", ["7", 7.5, True])
def test_a_number_that_is_none_is_foreign(number: Any) -> None:
    """A worker that says `int` and sends something else gives no number."""
    assert parse_value(Frame({"error": None, "value": {"type": "int", "value": number}})).value == Foreign(
        "int"
    )


def message(judge: Judge, python: str, exercise: str = "traffic") -> str:
    """Return what `close` says of a wrong answer."""
    verdict = judge.judge(exercise, Answer(python=python), device="sim")
    assert verdict.verdict is Outcome.FAILED
    return next(check.message for check in verdict.checks if check.name == "close")


def test_a_wrong_number_is_shown_beside_the_right_one(judge: Judge) -> None:
    """The message has the call, both numbers, the arguments by name, and how many are wrong."""
    said = message(judge, FORMULAS.format(fused="2 * numel * itemsize"))
    assert "fused_bytes(1, 4, 0) is 8" in said
    assert "expected 12" in said
    assert "numel = 1, itemsize = 4, unary_ops = 0" in said
    assert "10 of 22 values are wrong" in said


def test_another_type_than_a_whole_number_is_named(judge: Judge) -> None:
    """A float and a text are told that a whole number is expected, without advice on which one."""
    said = message(judge, FORMULAS.format(fused="3.0 * numel * itemsize"))
    assert "fused_bytes(1, 4, 0) is a float" in said
    assert "expected a whole number, an int." in said
    assert "box" not in said
    said = message(judge, "kernel_counts = {'chain': '1'}", "compiler_first")
    assert 'kernel_counts["chain"] is a str; expected a whole number, an int.' in said


def test_a_missing_name_is_not_confused_with_the_other(judge: Judge) -> None:
    """The function that is there is no misspelling of the one that is not."""
    text = FORMULAS.split("def fused_bytes")[0]
    verdict = judge.judge("traffic", Answer(python=text), device="sim")
    said = verdict.checks[0].message
    assert said.startswith("`fused_bytes` is missing.")
    assert "did you mean" not in said


def test_a_name_of_another_cell_is_explained(judge: Judge) -> None:
    """A name that another cell defines is not there, and the message says why."""
    verdict = judge.judge(
        "compiler_first", Answer(python="kernel_counts = {'chain': show(chain)}"), device="sim"
    )
    assert "name 'show' is not defined. The cell is judged by itself" in verdict.checks[0].message


def test_an_exception_is_shown_with_its_line(judge: Judge) -> None:
    """An answer that raises is told where."""
    assert "ZeroDivisionError" in message(judge, FORMULAS.format(fused="1 // 0"))
    assert "box" not in message(judge, FORMULAS.format(fused="1 // 0"))
    assert "Python line 7" in message(judge, FORMULAS.format(fused="1 // 0"))


def test_counts_are_not_given_away(judge: Judge) -> None:
    """The first try of `compiler_first` does not print the answer."""
    said = message(judge, "kernel_counts = {'chain': 5}", "compiler_first")
    assert 'kernel_counts["chain"] is 5; expected another number' in said
    assert "1" not in said.split("Compile")[0].replace("5", "")


def test_an_untouched_cell_is_not_attempted(judge: Judge) -> None:
    """A missing text, an empty one and the released stub are no attempts; nothing asks for CUDA."""
    stub = 'raise NotImplementedError("traffic: not attempted yet")'
    for text in (None, "# only a comment", stub):
        verdict = judge.judge("traffic", Answer(python=text), device="sim")
        assert verdict.verdict is Outcome.NOT_ATTEMPTED
        assert "Python" in verdict.message
