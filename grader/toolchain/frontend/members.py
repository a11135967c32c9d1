"""Members of classes: those of the host that device code calls, and what those of the device do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.toolchain.frontend.declarators import ATTRIBUTES, Function, angle_open, split_commas
from grader.toolchain.frontend.kernels import Fault
from grader.toolchain.frontend.outline import Item, Sides
from grader.toolchain.frontend.tokens import Stream

_ACCESS = ("public", "private", "protected")
_UNEVALUATED = frozenset(["sizeof", "decltype", "static_assert", "noexcept"])


@dataclass(frozen=True)
class Class:
    """A class at namespace scope, and its member functions that are written out."""

    name: str
    derived: bool
    members: tuple[Item, ...]
    imports: bool
    """Whether it takes over functions of others by `using`."""

    def named(self, name: str) -> list[Item]:
        """Return the members of a name; constructors have the class's."""
        return [member for member in self.members if member.name == name]


def classes(found: list[Item]) -> Iterator[Class]:
    """Yield the classes among declarations, templates included."""
    for item in found:
        stream = item.stream
        brace = next((i for i in range(item.start, item.end) if stream.text(i) == "{"), None)
        head = [i for i in range(item.start, brace or item.start) if stream.text(i) in ("struct", "class")]
        if (
            item.function is not None
            or brace is None
            or not head
            or stream.tokens[head[-1] + 1].kind != "name"
        ):
            continue
        # The last word of `template <class T> struct S` that begins a class names it.
        name, end = stream.text(head[-1] + 1), stream.close(brace)
        if end is not None:
            derived = any(stream.text(i) == ":" for i in range(head[-1], brace))
            imports = any(stream.text(i) == "using" for i in range(brace, end))
            yield Class(name, derived, tuple(_members(stream, brace + 1, end)), imports)


def of_device(found: list[Class], sides: Sides) -> Iterator[Item]:
    """Yield members that only device code can call, of classes that inherit no names."""
    for one in found:
        own = {member.name for member in one.members}
        for member in one.members:
            if not one.derived and not one.imports and sides.side(member) == "device" and member.name in own:
                yield member


def host_calls(item: Item, found: list[Class], sides: Sides) -> Iterator[Fault]:
    """Find calls in device code of members that are the host's, by a variable of the class or by its name."""
    known = {one.name: one for one in found if not one.imports and not one.derived}
    stream, variables = item.stream, dict(_variables(item, known))
    variables = {name: one for name, one in variables.items() if not _is_declared_anew(item, name, one)}
    for index in item.body():
        text, before = stream.text(index), stream.text(index - 1)
        called = stream.text(index + 1) == "(" and not _unevaluated(stream, index)
        if called and before in (".", "->") and stream.text(index - 3) not in (".", "->", "::"):
            owner = variables.get(stream.text(index - 2))
        elif called and before == "::" and stream.text(index - 3) != "::":
            owner = known.get(stream.text(index - 2))
        else:
            owner = None
        if owner and _is_hosts(owner.named(text), sides):
            yield _fault(item, index, f"{owner.name}::{text}", sides)
    for index in item.body():
        one = known.get(stream.text(index))
        if one and _constructs(stream, index) and _is_hosts(one.named(one.name), sides):
            yield _fault(item, index, f"{one.name}::{one.name}", sides)


def _fault(item: Item, index: int, callee: str, sides: Sides) -> Fault:
    word = {"global": "__global__", "device": "__device__"}[sides.side(item)]
    return Fault(
        item.stream.tokens[index],
        f"calling a __host__ function ('{callee}') from a {word} function ('{item.name}') is not allowed: "
        "declare it __host__ __device__",
    )


def _is_hosts(members: list[Item], sides: Sides) -> bool:
    """Whether every overload is the host's alone.  What is defaulted or deleted is on no side."""
    return bool(members) and all(sides.side(one) == "host" and not _is_given(one) for one in members)


def _is_given(member: Item) -> bool:
    function = member.function
    assert function is not None
    return any(member.stream.text(i) in ("default", "delete") for i in range(function.close, member.end + 1))


def _variables(item: Item, known: dict[str, Class]) -> Iterator[tuple[str, Class]]:
    """Yield parameters and local variables whose declared type is a class of the source."""
    stream, function = item.stream, item.function
    assert function is not None
    for index in (*range(function.open, function.close), *item.body()):
        one = known.get(stream.text(index))
        if one is None or stream.text(index - 1) in ("::", ".", "->"):
            continue
        at = index + 1
        if stream.text(at) == "<":
            at = next((i + 1 for i in range(at, item.end) if stream.text(i) == ">"), at)
        while stream.text(at) in ("const", "&", "*", "__restrict__"):
            at += 1
        if stream.tokens[at].kind == "name" and stream.text(at + 1) in (";", "=", "(", "{", ",", ")", "["):
            yield stream.text(at), one


def _is_declared_anew(item: Item, name: str, one: Class) -> bool:
    """Whether the function has another variable of that name, of another type."""
    stream, function = item.stream, item.function
    assert function is not None
    return any(
        stream.text(index) == name
        and stream.tokens[index - 1].kind == "name"
        and stream.text(index - 1) not in (one.name, "const", "return", "else", "case", "__restrict__")
        for index in (*range(function.open, function.close), *item.body())
    )


def _constructs(stream: Stream, index: int) -> bool:
    """Whether `index` begins `S s(a, b)` or `S(a, b)`: with two arguments it copies nothing."""
    at = index + 1
    if stream.tokens[at].kind == "name":
        at += 1
    if stream.text(at) not in ("(", "{") or stream.text(index - 1) in ("::", ".", "->", "~"):
        return False
    close = stream.close(at)
    return (
        close is not None and len(split_commas(stream, at + 1, close)) > 1 and not _unevaluated(stream, index)
    )


def _unevaluated(stream: Stream, index: int) -> bool:
    """Whether the statement has a part that is looked at and not run."""
    while index and stream.text(index - 1) not in (";", "{", "}"):
        index -= 1
        if stream.text(index) in _UNEVALUATED:
            return True
    return False


def _members(stream: Stream, start: int, end: int) -> Iterator[Item]:
    """Yield the member functions between a class's braces."""
    index = start
    while index < end:
        if stream.text(index) in _ACCESS and stream.text(index + 1) == ":":
            index += 2
            continue
        stop, function = _declaration(stream, index, end)
        if function is not None:
            yield Item(stream, index, stop, function)
        index = stop + 1


def _declaration(stream: Stream, start: int, end: int) -> tuple[int, Function | None]:
    """Return where a declaration ends, at its `;` or last brace, and its declarator if it is a function's."""
    index, opening = start, None
    while index < end:
        text = stream.text(index)
        if text in ATTRIBUTES and stream.text(index + 1) == "(":
            index = stream.close(index + 1) or end
        elif text == "(" and opening is None:
            opening, index = index, stream.close(index) or end
        elif text in ("(", "["):
            index = stream.close(index) or end
        elif text == "=" and opening is None:
            opening = -1  # an initialiser: no function
        elif text == "{" and stream.tokens[index - 1].kind == "name" and _initialises(stream, opening, index):
            index = stream.close(index) or end
        elif text == "{":
            close = stream.close(index) or end
            return close, _function(stream, opening, index, close)
        elif text == ";":
            return index, _function(stream, opening, None, None)
        index += 1
    return end, None


def _initialises(stream: Stream, opening: int | None, brace: int) -> bool:
    """Whether a brace belongs to a constructor's list, as in `: a{1}`, or to a member's initialiser."""
    if opening is None or opening < 0:
        return opening is not None
    close = stream.close(opening)
    return close is not None and any(stream.text(i) == ":" for i in range(close, brace))


def _function(stream: Stream, opening: int | None, body: int | None, end: int | None) -> Function | None:
    if opening is None or opening < 0:
        return None
    name, close = opening - 1, stream.close(opening)
    if stream.text(name) == ">":
        before = angle_open(stream, name)
        name = before - 1 if before is not None else -1
    if close is None or name < 0 or stream.tokens[name].kind != "name":
        return None
    return None if stream.text(name - 1) in ("operator", "~") else Function(name, opening, close, body, end)
