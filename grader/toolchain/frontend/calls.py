"""Launches by function call: the cast that hides a kernel's type goes, so that its parameters are known."""

from __future__ import annotations

from grader.toolchain.frontend.declarators import split_commas
from grader.toolchain.frontend.edits import Edits
from grader.toolchain.frontend.tokens import Stream, Tokens

_KERNEL_ARGUMENT = {"cudaLaunchKernel": 0, "cudaLaunchKernelExC": 1}


def keep_types(tokens: Tokens, edits: Edits) -> None:
    """Remove `(void*)` and `reinterpret_cast<void*>` from the kernel of each launch by call."""
    for stream in tokens.streams():
        for index, token in enumerate(stream.tokens):
            position = _KERNEL_ARGUMENT.get(token.text)
            close = (
                stream.close(index + 1) if position is not None and stream.text(index + 1) == "(" else None
            )
            if position is None or close is None:
                continue
            arguments = split_commas(stream, index + 2, close)
            if position < len(arguments):
                _without_cast(stream, arguments[position], edits)


def _without_cast(stream: Stream, argument: range, edits: Edits) -> None:
    first = argument.start
    if stream.text(first) == "(" and (close := stream.close(first)) is not None:
        inside = [stream.text(i) for i in range(first + 1, close)]
        if close < argument.stop - 1 and inside in (
            ["void", "*"],
            ["const", "void", "*"],
            ["void", "const", "*"],
        ):
            edits.replace(stream.tokens[first].start, stream.tokens[close].end)
    elif stream.text(first) in ("reinterpret_cast", "static_cast") and stream.text(first + 1) == "<":
        end = next((i for i in argument if stream.text(i) == ">"), None)
        if end is not None and "void" in {stream.text(i) for i in range(first, end)}:
            edits.replace(stream.tokens[first].start, stream.tokens[end].end)
