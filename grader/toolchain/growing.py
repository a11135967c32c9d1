"""Whether more headers could mend a failed compilation, and which ones."""

from __future__ import annotations

import re

from grader.toolchain import identifiers
from grader.toolchain.request import BuildResult
from grader.toolchain.runtime import Runtime
from grader.toolchain.units import Source

MODES = ("lean", "wide", "full")
"""From the fewest headers to PyTorch's own."""

_OPERATOR = re.compile(
    r"(?:no match for|ambiguous overload for) 'operator.*\b(?:torch|at|c10)::|incomplete type"
    r'|no operator "[^"]*" matches'
)


def further(runtime: Runtime, sources: list[Source], mode: str, result: BuildResult) -> str | None:
    """Return the next headers to try, if a name that the errors speak of is declared only there."""
    if mode == "full":
        return None
    names = _suspects(sources, result)
    beyond = identifiers.outside(runtime.headers, mode, names)
    if not beyond and not _doubtful(runtime, result):
        return None
    if mode == "lean" and identifiers.outside(runtime.headers, "wide", beyond) != beyond:
        return "wide"
    return "full"


def _doubtful(runtime: Runtime, result: BuildResult) -> bool:
    """Whether an error could come from a lacking declaration that no name betrays, as that of an operator."""
    include = str(runtime.install.include)
    in_header = any(line.startswith(include) and " error: " in line for line in result.output.split("\n"))
    return in_header or any(_OPERATOR.search(diagnostic.message) for diagnostic in result.diagnostics)


def _suspects(sources: list[Source], result: BuildResult) -> set[str]:
    """Return the learner's names that stand in an error's message or on its line."""
    used: set[str] = set().union(*(source.translation.names for source in sources))
    text = " ".join(f"{d.message} {d.place.text if d.place else ''}" for d in result.diagnostics)
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
    missing_headers = {
        w for d in result.diagnostics if "No such file" in d.message for w in ("torch", "ATen", "c10")
    }
    return (words & used) | missing_headers
