"""The declarations at namespace scope, and on which side of CUDA each function stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.toolchain.frontend.declarators import ATTRIBUTES, Function, angle_open
from grader.toolchain.frontend.tokens import Stream, Tokens


@dataclass(frozen=True)
class Item:
    """A declaration: tokens `start` up to `end`, and its declarator if it is a function's."""

    stream: Stream
    start: int
    end: int
    function: Function | None

    @property
    def name(self) -> str:
        """The function's name, or nothing."""
        return self.stream.text(self.function.name) if self.function else ""

    def words(self) -> frozenset[str]:
        """Return what stands before the name: qualifiers, specifiers and the type."""
        stop = self.function.name if self.function else self.end
        return frozenset(self.stream.text(i) for i in range(self.start, stop))

    def body(self) -> range:
        """Return the tokens between the body's braces."""
        function = self.function
        if function is None or function.body is None or function.end is None:
            return range(0)
        return range(function.body + 1, function.end)


@dataclass(frozen=True)
class Sides:
    """The words, macros among them, that put a function on a side."""

    kernel: frozenset[str]
    device: frozenset[str]
    host: frozenset[str]

    @staticmethod
    def of(tokens: Tokens) -> Sides:
        """Return the words of a source."""
        kernel, device, host = (tokens.qualifiers(f"__{word}__") for word in ("global", "device", "host"))
        return Sides(kernel, device, host)

    def side(self, item: Item) -> str:
        """Return `global`, `device`, `host`, or `both` where a function may be called from either side.

        PyTorch builds with --expt-relaxed-constexpr: a constexpr function is at home on both.
        """
        words = item.words()
        if words & self.kernel:
            return "global"
        if "constexpr" in words or "consteval" in words or any("DEVICE" in word for word in words):
            return "both"
        if words & self.device:
            return "both" if words & self.host else "device"
        return "host"


def items(stream: Stream) -> Iterator[Item]:
    """Yield the declarations at file scope and in namespaces, in order."""
    index = 0
    while index < len(stream.tokens):
        if (inside := _scope(stream, index)) is not None:
            index = inside
        elif stream.text(index) in ("}", ";"):
            index += 1
        else:
            item = _item(stream, index)
            yield item
            index = max(item.end, index + 1)


def _scope(stream: Stream, index: int) -> int | None:
    """Return the token after the brace, if a namespace or a linkage block begins at `index`."""
    at = index + (stream.text(index) == "inline")
    if stream.text(at) == "namespace" or (
        stream.text(at) == "extern" and stream.tokens[at + 1 : at + 2] and stream.text(at + 2) == "{"
    ):
        while stream.text(at) not in ("{", ";", "=", ""):
            at += 1
        return at + 1 if stream.text(at) == "{" else None
    return None


def _item(stream: Stream, start: int) -> Item:
    index, opening, close = start, None, None
    while index < len(stream.tokens):
        text = stream.text(index)
        if text in ATTRIBUTES and stream.text(index + 1) == "(":
            index = (stream.close(index + 1) or index) + 1
        elif text in ("(", "["):
            end = stream.close(index)
            if text == "(" and opening is None and end is not None and _names(stream, index, start):
                opening, close = index, end
            index = (end or index) + 1
        elif text == "{":
            end = stream.close(index)
            if end is None:
                break
            if opening is not None and close is not None:
                return _function(stream, start, opening, close, index, end)
            index = end + 1
        elif text in (";", "}"):
            function = _declared(stream, opening, close) if opening is not None and close else None
            return Item(stream, start, index, function)
        elif text == "=" and opening is None:
            count = len(stream.tokens)
            index = next((i for i in range(index, count) if stream.text(i) == ";"), count)
        else:
            index += 1
    return Item(stream, start, len(stream.tokens), None)


def _names(stream: Stream, opening: int, start: int) -> bool:
    """Whether a declarator's name, with a type before it, stands before the parenthesis."""
    name = _name(stream, opening)
    return name is not None and name > start and stream.text(name - 1) not in (".", "->", "=")


def _name(stream: Stream, opening: int) -> int | None:
    name = opening - 1
    if stream.text(name) == ">":
        before = angle_open(stream, name)
        name = before - 1 if before is not None else -1
    return name if name >= 0 and stream.tokens[name].kind == "name" else None


def _declared(stream: Stream, opening: int, close: int | None) -> Function | None:
    name = _name(stream, opening)
    return Function(name, opening, close, None, None) if name is not None and close is not None else None


def _function(stream: Stream, start: int, opening: int, close: int, body: int, end: int) -> Item:
    name = _name(stream, opening)
    assert name is not None  # `_names` said so
    return Item(stream, start, end + 1, Function(name, opening, close, body, end))
