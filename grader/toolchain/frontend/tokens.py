"""Splits CUDA source text into tokens without parsing it, so that broken code still splits.

A `#define` body is a stream of its own: a launch in it is rewritten where it stands.
Text that the preprocessor drops (`#if 0`) yields no tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
      (?P<blank>(?:[ \t\r\f\v\n]|\\\r?\n)+ | //(?:\\\r?\n|[^\n])* | /\*.*?(?:\*/|\Z))
    | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?(?:\)(?P=delimiter)"|\Z))
    | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9a-zA-Z]|[\w.])*)
    | (?P<name>[A-Za-z_$][\w$]*)
    | (?P<mark><<<|<%|%>|<:(?!:[^:>])|:>|::|->|\.\.\.|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(?P<word>\w*)(?P<rest>(?:\\\r?\n|/\*.*?\*/|[^\n])*)", re.DOTALL)
_DEFINE = re.compile(r"(?:[ \t]|\\\r?\n)+(?P<name>\w+)(?P<parameters>\([^)]*\))?")
_INCLUDE = re.compile(r'[ \t]*[<"](?P<path>[^>"\n]+)[>"]')

_DIGRAPHS = {"<%": "{", "%>": "}", "<:": "[", ":>": "]"}

Path = tuple[tuple[int, int], ...]
"""Which branch of which conditional a token stands in, outermost first."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token: `start` and `end` are offsets into the source, `line` is the learner's."""

    kind: str
    text: str
    start: int
    end: int
    line: int
    path: Path = ()


@dataclass(frozen=True)
class Include:
    """One `#include` and its line."""

    path: str
    line: int


@dataclass
class ArchitectureCondition:
    """A directive on `__CUDA_ARCH__` from `start` to `end`, and the directives that end its branches."""

    start: int
    end: int
    line: int
    edges: list[tuple[int, int]] = field(default_factory=list)

    def branches(self, source: str) -> list[str]:
        """Return the texts between the directives, of the first branch first."""
        begins = [self.end, *(end for _, end in self.edges[:-1])]
        return [source[a:b] for a, (b, _) in zip(begins, self.edges, strict=False)]


@dataclass
class Stream:
    """A run of tokens that brackets match in: the file itself, or one macro's body."""

    tokens: list[Token]
    macro: str | None = None
    parameters: tuple[str, ...] = ()

    def line(self, token: Token) -> str:
        """Return the C++ expression for the line of `token`; in a macro, that of its use."""
        return "__LINE__" if self.macro is not None else str(token.line)

    def literal(self, name: str) -> str:
        """Return the C++ expression for `name` as a string, which in a macro may be a parameter."""
        return f"#{name}" if name in self.parameters else f'"{name}"'

    def close(self, index: int) -> int | None:
        """Return the index of the bracket that closes the one at `index`."""
        return _match(self.tokens, range(index, len(self.tokens)), _OPEN, _CLOSE)

    def open(self, index: int) -> int | None:
        """Return the index of the bracket that opens the one at `index`."""
        return _match(self.tokens, range(index, -1, -1), _CLOSE, _OPEN)

    def unclosed(self) -> Token | None:
        """Return the last brace that nothing closes."""
        pending = [i for i, t in enumerate(self.tokens) if t.kind == "mark" and t.text == "{"]
        return next((self.tokens[i] for i in reversed(pending) if self.close(i) is None), None)

    def text(self, index: int) -> str:
        """Return the text of the token at `index`, empty outside the stream."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""


@dataclass
class Tokens:
    """All streams of a source, its includes, and the macros' names."""

    file: Stream
    macros: list[Stream] = field(default_factory=list)
    includes: list[Include] = field(default_factory=list)
    architecture: list[ArchitectureCondition] = field(default_factory=list)
    """Conditions on `__CUDA_ARCH__`, which tell a kernel's compilation from the host's."""

    def streams(self) -> Iterator[Stream]:
        """Yield the file's stream, then each macro's."""
        yield self.file
        yield from self.macros

    def qualifiers(self, word: str) -> frozenset[str]:
        """Return `word` and the macros that stand for specifiers with it, as for `extern "C" word`."""
        return frozenset(
            {word, *(m.macro for m in self.macros if m.macro is not None and _qualifies(m, word))}
        )

    def names(self) -> set[str]:
        """Return every identifier that the source uses."""
        return {token.text for stream in self.streams() for token in stream.tokens if token.kind == "name"}


def scan(source: str, first_line: int = 1) -> Tokens:
    """Split `source`, whose lines count from `first_line`; never fails."""
    return _Scanner(source, first_line).run()


def _qualifies(macro: Stream, word: str) -> bool:
    words = [token.text for token in macro.tokens]
    return not macro.parameters and word in words and not {"(", "{", ";"} & set(words)


_OPEN = frozenset("([{")
_CLOSE = frozenset(")]}")


def _match(
    tokens: list[Token], order: range, entering: frozenset[str], leaving: frozenset[str]
) -> int | None:
    home = dict(tokens[order[0]].path)
    depth = 0
    for index in order:
        token = tokens[index]
        if token.kind != "mark" or not _together(token.path, home):
            continue
        if token.text in entering:
            depth += 1
        elif token.text in leaving:
            depth -= 1
            if depth == 0:
                return index
    return None


def _together(path: Path, home: dict[int, int]) -> bool:
    """Whether a token on `path` counts for brackets seen from `home`: one branch of each conditional."""
    return all(home.get(conditional, 0) == branch for conditional, branch in path)


class _Scanner:
    def __init__(self, source: str, first_line: int) -> None:
        self.source = source
        self.first_line = first_line
        self.starts = [0, *(match.end() for match in re.finditer("\n", source))]
        self.result = Tokens(Stream([]))
        self.path: list[tuple[int, int]] = []
        self.dropped: list[bool] = []
        self.conditionals = 0
        self.open_conditions: list[list[ArchitectureCondition]] = []

    def run(self) -> Tokens:
        position, fresh = 0, True
        while position < len(self.source):
            if fresh and (directive := _DIRECTIVE.match(self.source, position)):
                self._directive(directive)
                position = directive.end()
                continue
            if any(self.dropped):
                position = self._next_line(position)
                continue
            match = _TOKEN.match(self.source, position)
            assert match is not None  # `.` matches anything
            if match.lastgroup == "blank" or match["blank"] is not None:
                fresh = "\n" in match.group() or (fresh and match.group().isspace())
            else:
                self.result.file.tokens.append(self._token(match, tuple(self.path)))
                fresh = False
            position = match.end()
            if fresh and "\n" in match.group():
                position = self._rewind(position)
        return self.result

    def _next_line(self, position: int) -> int:
        end = self.source.find("\n", position)
        return len(self.source) if end < 0 else end + 1

    def _rewind(self, position: int) -> int:
        """Step back over blanks, so that a directive's own indentation belongs to it."""
        while position and self.source[position - 1] in " \t":
            position -= 1
        return position

    def _token(self, match: re.Match[str], path: Path = ()) -> Token:
        kind = "string" if match["raw"] is not None else (match.lastgroup or "mark")
        text = _DIGRAPHS.get(match.group(), match.group()) if kind == "mark" else match.group()
        return Token(kind, text, match.start(), match.end(), self._line(match.start()), path)

    def _line(self, position: int) -> int:
        return bisect_right(self.starts, position) + self.first_line - 1

    def _directive(self, match: re.Match[str]) -> None:
        word, rest = match["word"], match["rest"]
        self._note_architecture(match)
        if word in ("if", "ifdef", "ifndef"):
            self.conditionals += 1
            self.path.append((self.conditionals, 0))
            self.dropped.append(word == "if" and rest.split("//")[0].strip() in ("0", "false"))
        elif word in ("elif", "else", "elifdef", "elifndef") and self.path:
            self._other_branch(rest)
        elif word == "endif" and self.path:
            self.path.pop()
            self.dropped.pop()
        elif any(self.dropped):
            return
        elif word == "define":
            self._define(match)
        elif word == "include" and (include := _INCLUDE.match(rest)):
            self.result.includes.append(Include(include["path"], self._line(match.start("word"))))

    def _note_architecture(self, match: re.Match[str]) -> None:
        """Remember a condition on the architecture, and the edges of those that are open."""
        word, place = match["word"], (match.start(), match.end())
        if word in ("elif", "else", "elifdef", "elifndef", "endif") and self.open_conditions:
            for condition in self.open_conditions[-1]:
                condition.edges.append(place)
            if word == "endif":
                self.open_conditions.pop()
        if word in ("if", "ifdef", "ifndef"):
            self.open_conditions.append([])
        if word in ("if", "ifdef", "ifndef", "elif") and re.search(r"\b__CUDA_ARCH__\b", match["rest"]):
            condition = ArchitectureCondition(*place, self._line(match.start("word")))
            self.result.architecture.append(condition)
            if self.open_conditions:
                self.open_conditions[-1].append(condition)

    def _other_branch(self, rest: str) -> None:
        conditional, branch = self.path[-1]
        was_dropped = self.dropped[-1]
        # After `#if 0` the next branch is the one that counts.
        self.path[-1] = (conditional, 0 if was_dropped and branch == 0 else branch + 1)
        self.dropped[-1] = rest.split("//")[0].strip() in ("0", "false")

    def _define(self, match: re.Match[str]) -> None:
        head = _DEFINE.match(self.source, match.start("rest"), match.end("rest"))
        if head is None:
            return
        names = tuple(re.findall(r"\w+", head["parameters"] or ""))
        stream = Stream([], head["name"], names)
        position = head.end()
        while position < match.end("rest"):
            token = _TOKEN.match(self.source, position, match.end("rest"))
            if token is None:
                break
            if token["blank"] is None:
                stream.tokens.append(self._token(token))
            position = token.end()
        self.result.macros.append(stream)
