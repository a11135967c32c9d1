"""Local arrays of device code: their sizes must be constants, which a C++ compiler would not ask for."""

from __future__ import annotations

from grader.toolchain.frontend.edits import Edits
from grader.toolchain.frontend.outline import Item
from grader.toolchain.frontend.tokens import Stream

_NO_TYPE = frozenset(
    [
        "return",
        "else",
        "do",
        "case",
        "goto",
        "new",
        "delete",
        "sizeof",
        "throw",
        "typeid",
        "not",
        "and",
        "or",
        "operator",
        "auto",
        "__shared__",
        "extern",
    ]
)


def require_constant_sizes(device: list[Item], edits: Edits) -> None:
    """Behind each declaration of an array whose extent is no literal, let the compiler ask for its size."""
    for item in device:
        stream, index = item.stream, item.body().start
        while index < item.body().stop:
            end = _array_end(stream, index, item.body().stop)
            if end is not None:
                name = stream.tokens[index]
                edits.insert(stream.tokens[end].end, f" static_assert(sizeof({name.text}) > 0);")
            index += 1


def _array_end(stream: Stream, index: int, stop: int) -> int | None:
    """Return the semicolon of the array's declaration, if `index` names an array with computed extents."""
    name, before = stream.tokens[index], stream.tokens[index - 1]
    typed = before.kind == "name" and before.text not in _NO_TYPE or before.text == ">"
    if name.kind != "name" or name.text in _NO_TYPE or not typed or stream.text(index + 1) != "[":
        return None
    if _is_shared(stream, index):
        return None
    at, computed = index + 1, False
    while stream.text(at) == "[":
        close = stream.close(at)
        if close is None:
            return None
        computed |= any(stream.tokens[i].kind == "name" for i in range(at, close))
        at = close + 1
    while at < stop and stream.text(at) not in (";", "}", ")"):
        at = (stream.close(at) or at) + 1 if stream.text(at) in ("(", "[", "{") else at + 1
    return at if computed and at < stop and stream.text(at) == ";" else None


def _is_shared(stream: Stream, index: int) -> bool:
    while index and stream.text(index - 1) not in (";", "{", "}"):
        index -= 1
        if stream.text(index) in ("__shared__", "extern", "typedef", "using"):
            return True
    return False
