"""Plain values of a Python answer: what a function returns for numbers, or what a name stands for."""

from __future__ import annotations

import operator
from typing import Any

from grader.judge.protocol import Frame
from grader.judge.worker.answer import Answer, describe

_ENTRIES = 64
_BITS = 4096


def reply(answer: Answer, header: dict[str, Any]) -> Frame:
    """Return the value that a request asks for, or the exception that came instead."""
    try:
        found = answer.function(header["target"])
        value = found(*header["arguments"]) if header["arguments"] or callable(found) else found
        return Frame({"error": None, "value": described(value)})
    except BaseException as error:
        return Frame({"error": {"phase": "call", "call": 0, **describe(error)}, "value": None})


def described(value: Any) -> dict[str, Any]:
    """Return a value as JSON: whole numbers, whatever type counts as one, and dicts; of others the type."""
    kind = type(value).__name__[:80]
    if isinstance(value, dict) and len(value) <= _ENTRIES:
        return {"type": "dict", "items": [[str(key)[:80], described(item)] for key, item in value.items()]}
    number = _whole(value)
    return {"type": kind} if number is None else {"type": "int", "value": number}


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        number = operator.index(value)
    except TypeError:
        return None
    return number if number.bit_length() <= _BITS else None
