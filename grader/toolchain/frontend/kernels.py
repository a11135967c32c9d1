"""Kernels and launches: the host stub of `__global__` functions, and `<<<...>>>`."""

from __future__ import annotations

from dataclasses import dataclass

from grader.toolchain.frontend.declarators import (
    Function,
    angle_open,
    function_after,
    parameters,
    split_commas,
)
from grader.toolchain.frontend.edits import Edits, Slice
from grader.toolchain.frontend.tokens import Stream, Token


@dataclass(frozen=True)
class Kernel:
    """A kernel that the source defines or declares."""

    name: str
    line: int
    stream: Stream
    function: Function
    returns_void: bool


@dataclass(frozen=True)
class Launch:
    """A launch, from the first token of what is called to the parenthesis that ends its arguments."""

    line: int
    stream: Stream
    callee: int
    opening: int
    closing: int
    end: int


@dataclass(frozen=True)
class Fault:
    """Something that no compiler could explain after the rewriting."""

    token: Token
    message: str
    after: bool = False
    """Whether the place is the end of the token."""
    flag: str = ""
    """The compiler's flag with which it is no fault."""

    @property
    def position(self) -> int:
        """The offset into the source."""
        return self.token.end if self.after else self.token.start


def find_kernels(stream: Stream, qualifiers: frozenset[str] = frozenset({"__global__"})) -> list[Kernel]:
    """Return the kernels whose `__global__`, or a macro that stands for it, is in `stream`."""
    kernels = []
    for index, token in enumerate(stream.tokens):
        if token.text in qualifiers and (function := function_after(stream, index)):
            name = stream.tokens[function.name]
            # What a macro hides, its `void` too, is for the compiler to judge.
            void = token.text != "__global__" or _is_void(stream, index, function)
            kernels.append(Kernel(name.text, name.line, stream, function, void))
    return kernels


def _is_void(stream: Stream, index: int, function: Function) -> bool:
    # `void __global__ k()` is as good as `__global__ void k()`.
    return any(stream.text(i) == "void" for i in range(max(index - 3, 0), function.name))


def rewrite_kernel(kernel: Kernel, edits: Edits, prologue: str = "") -> None:
    """Wrap the body, so that calling the kernel is what launches it."""
    function, stream = kernel.function, kernel.stream
    if function.body is None or function.end is None:
        return
    arguments = ", ".join(
        f"::sim::argument({stream.literal(name)}, {name}){'...' if pack else ''}"
        for name, pack in parameters(stream, function)
    )
    line = stream.line(stream.tokens[function.name])
    identity = f"{stream.literal(kernel.name)}, {line}{_bound(kernel, edits)}"
    head = f" return ::sim::kernel({{{identity}}}, ::sim::arguments({arguments}),"
    edits.insert(stream.tokens[function.body].end, f"{head} [=]() mutable -> void {{{prologue}")
    edits.insert(stream.tokens[function.end].start, "}); ")


def _bound(kernel: Kernel, edits: Edits) -> str:
    """Return the most threads that a block may have, as `__launch_bounds__` says."""
    stream, at = kernel.stream, kernel.function.name
    while at > 0 and stream.text(at - 1) not in (";", "{", "}"):
        at -= 1
    for index in range(at, kernel.function.name):
        if stream.text(index) in ("__launch_bounds__", "C10_LAUNCH_BOUNDS_1", "C10_LAUNCH_BOUNDS_2"):
            parts = split_commas(stream, index + 2, stream.close(index + 1) or index + 2)
            if parts:
                first, last = stream.tokens[parts[0].start], stream.tokens[parts[0].stop - 1]
                return f", {' '.join(edits.source[first.start : last.end].split())}"
    return ""


def find_launches(stream: Stream) -> tuple[list[Launch], list[Fault]]:
    """Return the launches in `stream`, and those that cannot be read."""
    launches, faults = [], []
    for index, token in enumerate(stream.tokens):
        if token.text != "<<<":
            continue
        launch = _launch(stream, index)
        if isinstance(launch, Launch):
            launches.append(launch)
        else:
            faults.append(Fault(token, launch))
    return launches, faults


def _launch(stream: Stream, index: int) -> Launch | str:
    callee = _callee(stream, index - 1)
    if callee is None:
        return "expected the name of a kernel before '<<<'"
    closing = _config_end(stream, index + 1)
    if closing is None:
        return "expected '>>>(' to end the launch configuration that '<<<' begins"
    if closing == index + 1:
        return "a launch needs a grid and a block: kernel<<<blocks, threads>>>(...)"
    end = stream.close(closing + 3)
    if end is None:
        return "expected ')' to end the arguments of this launch"
    return Launch(stream.tokens[callee].line, stream, callee, index, closing, end)


_BEFORE_STATEMENT = frozenset(
    ("if", "for", "while", "switch", "constexpr", "else", "do", "return", "co_return")
)


def unended(launch: Launch) -> Fault | None:
    """Return the fault of a statement before the launch that lacks its semicolon.

    After the rewriting it would read as a call of what stands before.
    """
    stream, index = launch.stream, launch.callee - 1
    if index < 0 or stream.tokens[index].line == launch.line:
        return None
    token = stream.tokens[index]
    word = token
    if token.text in (")", "]"):
        opening = stream.open(index)
        word = stream.tokens[opening - 1] if opening else token
        if word.kind != "name":
            return None
    ends = word.kind in ("name", "number", "string", "char")
    if not ends or word.text in _BEFORE_STATEMENT or word.text.isupper():
        return None
    return Fault(token, "expected ';' at the end of this line", after=True)


def _config_end(stream: Stream, index: int) -> int | None:
    """Return the index of the first of the three `>` that end a configuration."""
    while index < len(stream.tokens):
        text = stream.text(index)
        if text in ("(", "[", "{"):
            close = stream.close(index)
            if close is None:
                return None
            index = close
        elif (
            text == ">"
            and all(stream.text(index + i) == ">" for i in (1, 2))
            and stream.text(index + 3) == "("
        ):
            return index
        elif text in (";", "}", "<<<"):
            return None
        index += 1
    return None


_NOT_CALLED = frozenset(["return", "if", "while", "for", "switch", "else", "do", "case", "co_return"])


def _callee(stream: Stream, index: int) -> int | None:
    """Return the first token of the postfix expression that ends at `index`."""
    start: int | None = None
    while index >= 0:
        token = stream.tokens[index]
        if token.text == ">" and start is None:
            opening = angle_open(stream, index)
            if opening is None:
                return None
            index = opening - 1
            continue
        if token.text in (")", "]"):
            opening = stream.open(index)
            if opening is None:
                return None
            start, index = opening, opening - 1
            if index >= 0 and (stream.text(index) in (")", "]") or _is_operand(stream.tokens[index])):
                continue
            return start
        if not _is_operand(token):
            return start
        start = index
        index = _before_name(stream, index)
        if index < 0 or index == start:
            return start
        if stream.text(index) == ">":
            start_of_arguments = angle_open(stream, index)
            if start_of_arguments is None:
                return start
            index = start_of_arguments - 1
        elif stream.text(index) == "::":
            return index
    return start


def _is_operand(token: Token) -> bool:
    return token.kind == "name" and token.text not in _NOT_CALLED


def _before_name(stream: Stream, index: int) -> int:
    """Return the token that continues the expression to the left of a name, or `index` if none does."""
    before = index - 1
    if stream.text(before) == "template":
        before -= 1
    if stream.text(before) not in ("::", ".", "->"):
        return index
    left = before - 1
    continues = left >= 0 and (_is_operand(stream.tokens[left]) or stream.text(left) in (">", ")", "]"))
    return left if continues else before


def rewrite_launch(launch: Launch, edits: Edits) -> None:
    """Turn the launch into a call that a configuration precedes."""
    tokens = launch.stream.tokens
    start, opening, closing = tokens[launch.callee], tokens[launch.opening], tokens[launch.closing]
    config = Slice(opening.end, closing.start)
    callee = Slice(start.start, opening.start)
    line = launch.stream.line(start)
    edits.replace(start.start, closing.start + 3, f"(::sim::Configured({line}, ", config, "), ", callee)
    edits.insert(tokens[launch.end].end, ")")
