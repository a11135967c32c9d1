"""Conditions on `__CUDA_ARCH__`.

nvcc compiles a source once for the device, where the macro is a number, and once for the host, where it is
not defined.  The simulator compiles once, so each condition is decided where it stands: as on the device
(`ARCHITECTURE`) in kernels, in `__device__` and `__host__ __device__` functions and at file scope, as on the
host in host functions.  At file scope a branch that only the host would see is kept where it defines host
functions.
"""

from __future__ import annotations

import re

from grader.toolchain.frontend.edits import Edits
from grader.toolchain.frontend.outline import Item, Sides, items
from grader.toolchain.frontend.tokens import ArchitectureCondition, Tokens

ARCHITECTURE = 900
"""Compute capability 9.0, as the simulated device's properties say."""

_DEFINED = re.compile(r"defined\s*(?:\(\s*__CUDA_ARCH__\s*\)|\b__CUDA_ARCH__\b)")
_HOST_CODE = re.compile(r"<<<|\b(?:torch|at|c10)::|\bcuda[A-Z]\w+\s*\(|\bstd::(?:vector|string|cout)\b")


def decide(source: str, tokens: Tokens, edits: Edits) -> None:
    """Replace every condition on the macro, and its value in device code, in place."""
    if not tokens.architecture:
        return
    sides = Sides.of(tokens)
    functions = [item for item in items(tokens.file) if item.function and len(item.body())]
    for condition in tokens.architecture:
        device = _on_device(source, condition, functions, sides)
        edits.replace(
            condition.start, condition.end, _decided(source[condition.start : condition.end], device)
        )


def _decided(text: str, device: bool) -> str:
    """Return the directive, of as many lines, with the macro decided."""
    if match := re.match(r"([ \t]*#[ \t]*)(ifdef|ifndef)([ \t]+)__CUDA_ARCH__", text):
        wanted = device == (match[2] == "ifdef")
        return f"{match[1]}if {int(wanted)}{text[match.end() :]}"
    text = _DEFINED.sub(str(int(device)), text)
    return re.sub(r"\b__CUDA_ARCH__\b", str(ARCHITECTURE if device else 0), text)


def _on_device(source: str, condition: ArchitectureCondition, functions: list[Item], sides: Sides) -> bool:
    for item in functions:
        tokens = item.stream.tokens
        if tokens[item.start].start < condition.start < tokens[item.end - 1].end:
            return sides.side(item) != "host"
    return not _host_only(source, condition)


def _host_only(source: str, condition: ArchitectureCondition) -> bool:
    """Whether the branch that the host would see, and the device not, holds host code."""
    branches = condition.branches(source)
    if not branches:
        return False
    negated = bool(re.search(r"#[ \t]*ifndef|![ \t]*defined", source[condition.start : condition.end]))
    host_branch = branches[0] if negated else branches[-1] if len(branches) > 1 else ""
    return bool(_HOST_CODE.search(host_branch))
