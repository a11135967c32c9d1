"""Variables in shared, constant and device memory."""

from __future__ import annotations

from dataclasses import dataclass

from grader.toolchain.frontend.declarators import ATTRIBUTES, split_commas
from grader.toolchain.frontend.edits import Edits
from grader.toolchain.frontend.tokens import Stream

_SPACES = frozenset(("__shared__", "__constant__", "__device__", "__managed__"))
_DROPPED = _SPACES | {"extern", "static", "inline"}


@dataclass(frozen=True)
class Declaration:
    """A declaration of variables: tokens `start` to `end`, the latter its semicolon."""

    stream: Stream
    start: int
    end: int
    type_end: int

    def has(self, word: str) -> bool:
        """Whether the specifiers name `word`."""
        return any(self.stream.text(i) == word for i in range(self.start, self.type_end))

    def type(self) -> str:
        """Return the type that the specifiers name, on one line."""
        return " ".join(self.stream.text(i) for i in self._kept())

    def _kept(self) -> list[int]:
        kept, index = [], self.start
        while index < self.type_end:
            text = self.stream.text(index)
            if text in ("__align__", "alignas", "__attribute__") and self.stream.text(index + 1) == "(":
                index = (self.stream.close(index + 1) or index) + 1
                continue
            if text not in _DROPPED:
                kept.append(index)
            index += 1
        return kept

    def declarators(self) -> list[range]:
        """Return the tokens of each declarator."""
        return split_commas(self.stream, self.type_end, self.end)


def find_declarations(stream: Stream) -> list[Declaration]:
    """Return the declarations of shared, constant and device variables in `stream`."""
    found, last = [], -1
    for index, token in enumerate(stream.tokens):
        if token.text in _SPACES and index > last and (declaration := _declaration(stream, index)):
            found.append(declaration)
            last = declaration.end
    return found


def _declaration(stream: Stream, index: int) -> Declaration | None:
    start = index
    while start and stream.text(start - 1) not in (";", "{", "}", ")", ":", "]"):
        start -= 1
    end = _end(stream, index)
    if end is None or any(stream.text(i) in ("constexpr", "typedef", "using") for i in range(start, end)):
        return None
    return Declaration(stream, start, end, _type_end(stream, start, end))


def _end(stream: Stream, index: int) -> int | None:
    """Return the semicolon of a variable's declaration; a function has none."""
    at = index + 1
    while at < len(stream.tokens):
        text = stream.text(at)
        if text in ATTRIBUTES and stream.text(at + 1) == "(":
            at = stream.close(at + 1) or at + 1
        elif (
            text == "("
            and stream.text(at + 1) not in ("*", "&")
            or text == "{"
            and stream.text(at - 1) not in ("struct", "union", "class", "=")
            and not _braced(stream, at)
        ):
            return None
        elif text in ("[", "{", "("):
            at = stream.close(at) or len(stream.tokens)
        elif text == "=":
            return next((i for i in range(at, len(stream.tokens)) if stream.text(i) == ";"), None)
        elif text == ";":
            return at
        elif text in (")", "}"):
            return None
        at += 1
    return None


def _braced(stream: Stream, index: int) -> bool:
    """Whether the brace at `index` begins an initialiser or a class body, which a declarator follows."""
    close = stream.close(index)
    return close is not None and stream.text(close + 1) != "" and stream.text(index - 1) != ")"


def _type_end(stream: Stream, start: int, end: int) -> int:
    """Return the first token of the first declarator."""
    first = split_commas(stream, start, end)[0]
    outer = _outside_braces(stream, first)
    stop = next((i for i in outer if stream.text(i) in ("=", "[")), first.stop)
    inner = next(
        (i for i in outer if i < stop and stream.text(i) == "(" and stream.text(i + 1) in ("*", "&")), None
    )
    if inner is not None:
        return inner
    if stop > start and stream.text(stop - 1) == "}":
        stop = stream.open(stop - 1) or stop
    at = stop - 1
    while at > start and stream.text(at - 1) in ("*", "&", "const", "__restrict__"):
        at -= 1
    # `const` before the base type is a specifier, not part of a pointer.
    return at if stream.text(at) in ("*", "&") else stop - 1


def _outside_braces(stream: Stream, part: range) -> list[int]:
    """Return the tokens of `part` that stand in no braces, as a struct's members do."""
    outer, index = [], part.start
    while index < part.stop:
        outer.append(index)
        close = stream.close(index) if stream.text(index) == "{" else None
        index = index + 1 if close is None else close
    return outer


def _name(stream: Stream, declarator: range) -> int:
    stop = next((i for i in declarator if stream.text(i) in ("=", "[", "{")), declarator.stop)
    names = [i for i in range(declarator.start, stop) if stream.tokens[i].kind == "name"]
    return names[-1] if names else declarator.start


def rewrite_declaration(declaration: Declaration, edits: Edits) -> None:
    """Give the declared variables their place in the simulator's memory."""
    if not declaration.has("__shared__"):
        _rewrite_symbol(declaration, edits)
    elif declaration.has("extern"):
        stream = declaration.stream
        first, last = stream.tokens[declaration.start], stream.tokens[declaration.end]
        edits.replace(first.start, last.end, dynamic_shared(declaration))
    else:
        _rewrite_shared(declaration, edits)


def dynamic_shared(declaration: Declaration) -> str:
    """Return the statements that find the block's dynamic shared memory."""
    stream, kind, out = declaration.stream, declaration.type(), []
    for declarator in declaration.declarators():
        name = stream.tokens[_name(stream, declarator)]
        inner = "".join(stream.text(i) for i in declarator if i > _name(stream, declarator) + 2)
        known = f"::sim::name_hash({stream.literal(name.text)})"
        found = (
            f"::sim::dynamic_shared<{kind}{inner}, {known}>({stream.literal(name.text)}, {stream.line(name)})"
        )
        target = f"{kind} (* const {name.text}){inner}" if inner else f"{kind}* const {name.text}"
        out.append(f"{target} = {found};")
    return " ".join(out)


def dynamic_names(declaration: Declaration) -> list[str]:
    """Return the names that an `extern __shared__` declaration declares."""
    stream = declaration.stream
    return [stream.text(_name(stream, declarator)) for declarator in declaration.declarators()]


def _rewrite_shared(declaration: Declaration, edits: Edits) -> None:
    _drop_specifiers(declaration, edits)
    stream = declaration.stream
    for declarator in declaration.declarators():
        index = _name(stream, declarator)
        name = stream.tokens[index]
        slot = f"static const ::sim::SharedSlot slot{{{stream.literal(name.text)}, {stream.line(name)}}};"
        edits.replace(name.start, name.end, f"(&{name.text})")
        edits.insert(
            stream.tokens[declarator.stop - 1].end,
            f" = ::sim::shared<decltype({name.text})>([]{{ {slot} return &slot; }}())",
        )


def _drop_specifiers(declaration: Declaration, edits: Edits) -> None:
    stream, index = declaration.stream, declaration.start
    while index < declaration.type_end:
        token = stream.tokens[index]
        if token.text in ("__align__", "alignas") and stream.text(index + 1) == "(":
            close = stream.close(index + 1) or index
            edits.replace(token.start, stream.tokens[close].end)
            index = close
        elif token.text in _DROPPED:
            edits.replace(token.start, token.end)
        index += 1


def _rewrite_symbol(declaration: Declaration, edits: Edits) -> None:
    """Keep the variable as its own initial value, and name its copy in device memory."""
    stream = declaration.stream
    if declaration.has("extern"):
        return
    _drop_specifiers(declaration, edits)
    edits.insert(stream.tokens[declaration.start].start, "static ")
    aliases: list[str] = []
    for declarator in declaration.declarators():
        name = stream.tokens[_name(stream, declarator)]
        initial = f"{name.text}##__initial" if name.text in stream.parameters else f"{name.text}__initial"
        edits.replace(name.start, name.end, initial)
        slot = f"{{{stream.literal(name.text)}, {stream.line(name)}}}"
        aliases.append(f" static decltype({initial})& {name.text} = ::sim::symbol({initial}, {slot});")
    edits.insert(stream.tokens[declaration.end].end, "".join(aliases))
