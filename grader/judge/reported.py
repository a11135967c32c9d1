"""Reports and launches that came from a worker, as plain data whose types are as the engine writes them.

A report may be forged, or cut by a crash, and messages and pictures compute with its numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.judge.protocol import ProtocolError

_NUMBERS = (
    "bytes", "index", "numel", "dtype_bytes", "offset_bytes", "allocation_bytes", "launch_line", "line",
    "current_stream", "stream", "device", "count", "barrier_line", "dynamic_shared_bytes",
    "accesses", "requests", "sectors", "wavefronts", "conflicts",
)  # fmt: skip
_TEXTS = ("kind", "access", "argument", "kernel", "operator", "space", "pc", "message", "missing")
_TRIPLES = ("block", "thread", "grid")
_MAX_TEXT = 4000
_MAX_FRAMES = 256
_LARGEST = 1 << 63


def reported(value: Any, nested: bool = False) -> dict[str, Any]:
    """Return the known keys of a report or launch; raise `ProtocolError` where one is not of its type.

    What the engine left open is null or absent.  `nested` is the earlier access of a race, which has none.
    """
    if not isinstance(value, dict):
        raise ProtocolError("object expected")
    found = {key: _READ[key](item) for key, item in value.items() if key in _READ and item is not None}
    if not nested and value.get("other") is not None:
        found["other"] = reported(value["other"], nested=True)
    return found


def _number(value: Any) -> int:
    if type(value) is not int or abs(value) > _LARGEST:
        raise ProtocolError("a report's number expected")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ProtocolError("a report's text expected")
    return value[:_MAX_TEXT]


def _triple(value: Any) -> list[int]:
    if not isinstance(value, list) or len(value) > 3:
        raise ProtocolError("a report's index of a block or thread expected")
    return [_number(item) for item in value]


def _stack(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > _MAX_FRAMES:
        raise ProtocolError("a report's stack expected")
    return [_text(item) for item in value]


_READ: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_NUMBERS, _number),
    **dict.fromkeys(_TEXTS, _text),
    **dict.fromkeys(_TRIPLES, _triple),
    "stack": _stack,
    "later": bool,
}
