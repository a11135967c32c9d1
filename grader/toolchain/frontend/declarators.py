"""Reads declarations token by token: parameters, declarators, and what surrounds a function's body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.toolchain.frontend.tokens import Stream

ATTRIBUTES = frozenset(
    [
        "__launch_bounds__",
        "C10_LAUNCH_BOUNDS_1",
        "C10_LAUNCH_BOUNDS_2",
        "__attribute__",
        "__cluster_dims__",
        "__maxnreg__",
        "__block_size__",
        "__align__",
        "alignas",
        "decltype",
        "__declspec",
        "noexcept",
    ]
)
"""Words whose parentheses are not a parameter list."""

_NEVER_NAMES = frozenset(
    [
        "__restrict__",
        "__restrict",
        "const",
        "volatile",
        "int",
        "float",
        "double",
        "bool",
        "char",
        "short",
        "long",
        "unsigned",
        "signed",
        "void",
        "auto",
        "size_t",
        "int32_t",
        "int64_t",
        "uint32_t",
        "uint64_t",
        "half",
        "__half",
        "typename",
        "struct",
        "class",
        "enum",
        "__grid_constant__",
    ]
)


@dataclass(frozen=True)
class Function:
    """A function's declarator in a stream.  Fields are token indices; a declaration has no `body`."""

    name: int
    open: int
    close: int
    body: int | None
    end: int | None


def function_after(stream: Stream, index: int) -> Function | None:
    """Return the function whose declaration specifiers contain the token at `index`."""
    at = index + 1
    while at < len(stream.tokens):
        text = stream.text(at)
        if text in ATTRIBUTES and stream.text(at + 1) == "(":
            close = stream.close(at + 1)
            if close is None:
                return None
            at = close + 1
        elif text == "(":
            return _function(stream, at)
        elif text in (";", "{", "}", "="):
            return None
        else:
            at += 1
    return None


def _function(stream: Stream, opening: int) -> Function | None:
    close = stream.close(opening)
    name = opening - 1
    if stream.text(name) == ">":
        before = angle_open(stream, name)
        name = before - 1 if before is not None else -1
    if close is None or name < 0 or stream.tokens[name].kind != "name":
        return None
    body = _body(stream, close + 1)
    end = stream.close(body) if body is not None else None
    return Function(name, opening, close, body if end is not None else None, end)


def _body(stream: Stream, index: int) -> int | None:
    while index < len(stream.tokens):
        text = stream.text(index)
        if text == "{":
            return index
        if text == "(":
            close = stream.close(index)
            if close is None:
                return None
            index = close
        elif text in (";", "}", ","):
            return None
        index += 1
    return None


def angle_open(stream: Stream, index: int) -> int | None:
    """Return the `<` of the template argument list that the `>` at `index` ends."""
    depth = 0
    while index >= 0:
        text = stream.text(index)
        if text in (")", "]", "}"):
            opening = stream.open(index)
            if opening is None:
                return None
            index = opening
        elif text == ">":
            depth += 1
        elif text == "<":
            depth -= 1
            if depth == 0:
                return index
        elif text in (";", "{"):
            return None
        index -= 1
    return None


def split_commas(stream: Stream, start: int, end: int) -> list[range]:
    """Split the tokens from `start` up to `end` at their top-level commas."""
    parts, first, index, angles = [], start, start, 0
    while index < end:
        text = stream.text(index)
        if text in ("(", "[", "{"):
            index = min(stream.close(index) or end, end)
        elif text == "<" and stream.tokens[index - 1].kind == "name":
            angles += 1
        elif text == ">" and angles:
            angles -= 1
        elif text == "," and not angles:
            parts.append(range(first, index))
            first = index + 1
        index += 1
    return [part for part in (*parts, range(first, end)) if len(part)]


def parameters(stream: Stream, function: Function) -> list[tuple[str, bool]]:
    """Return the name of each named parameter, and whether it is a pack."""
    found = []
    for part in split_commas(stream, function.open + 1, function.close):
        part = _without_default(stream, part)
        name = _declared(stream, part)
        if name is not None:
            pack = any(stream.text(i) == "..." for i in part)
            found.append((stream.text(name), pack))
    return found


def _without_default(stream: Stream, part: range) -> range:
    for index in part:
        if stream.text(index) == "=":
            return range(part.start, index)
    return part


def _declared(stream: Stream, part: Iterable[int]) -> int | None:
    """Return the token that a parameter's declarator names."""
    indices = list(part)
    for index in indices:
        # `void (*f)(int)` and `float (&x)[4]` name what stands in the first parentheses.
        if stream.text(index) == "(" and stream.text(index + 1) in ("*", "&"):
            inner = [i for i in range(index, stream.close(index) or index) if stream.tokens[i].kind == "name"]
            return inner[-1] if inner else None
    while indices and stream.text(indices[-1]) == "]":
        opening = stream.open(indices[-1])
        indices = [i for i in indices if opening is not None and i < opening]
    if len(indices) < 2 or stream.tokens[indices[-1]].kind != "name":
        return None
    named = stream.text(indices[-1]) not in _NEVER_NAMES and stream.text(indices[-2]) not in (
        "::",
        "typename",
    )
    typed = any(stream.text(i) not in ("const", "volatile", "__grid_constant__") for i in indices[:-1])
    return indices[-1] if named and typed else None
