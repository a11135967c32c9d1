"""Words for a data race: both accesses, and what would order them."""

from __future__ import annotations

from typing import Any

Report = dict[str, Any]
_VERBS = {"read": ("read", "reads"), "write": ("wrote", "writes"), "atomic": ("updated", "updates")}
DIVERGED = "barrier for all"
"""What a race is short of where the threads of a block wait at different barriers."""
_MAY_PASS = "It may pass on your GPU: lanes of a warp often run in step, but nothing promises it. "


def observed(report: Report) -> str:
    """Say which thread touches what, and which other thread had touched it before."""
    other = report["other"]
    kernel, verb = report.get("kernel") or "a kernel", _verb(report)[1]
    line = f" in line {other['line']}" if other.get("line") else ""
    whose = f"{_whose(report, other)} {_verb(other)[0]}{line}"
    return f"{kernel} {verb} {_element(report)}, which {whose}, with nothing to order the two"


def advice(report: Report) -> str:
    """Say what is missing between the two accesses."""
    missing = report.get("missing")
    if missing == DIVERGED:
        return "Threads of the block wait at different barriers: mend that first."
    if missing == "atomic" and _is_handed_over(report):
        alike = report["other"].get("block") == report.get("block")
        missing = "__syncthreads()" if alike else "order between blocks"
    if missing == "atomic":
        return "Use an atomic such as atomicAdd, or let one thread alone write each element."
    if missing == "order between blocks":
        return (
            "Blocks of one launch run in any order: split the work into two launches, or hand the value over "
            "with __threadfence() and an atomic flag."
        )
    may_pass = _MAY_PASS if missing == "__syncwarp()" else ""
    return f"{may_pass}{_between(str(missing or '__syncthreads()'), report)}"


def _is_handed_over(report: Report) -> bool:
    """Whether a value is written above the line that reads it: an update reads first, or in the same line."""
    accesses = {access.get("access"): access.get("line") for access in (report, report["other"])}
    write, read = accesses.get("write"), accesses.get("read")
    return isinstance(write, int) and isinstance(read, int) and write < read


def numbers(triple: Any) -> str:
    """Return a thread's or block's index as CUDA programmers say it: 5, or (5, 2)."""
    if not isinstance(triple, list) or not triple:
        return ""
    shown = triple
    while len(shown) > 1 and shown[-1] == 0:
        shown = shown[:-1]
    return str(shown[0]) if len(shown) == 1 else f"({', '.join(str(n) for n in shown)})"


def _between(barrier: str, report: Report) -> str:
    lines = sorted(
        line for line in (report.get("line"), report["other"].get("line")) if isinstance(line, int)
    )
    if len(lines) < 2:
        return f"Put {barrier} between the two accesses."
    first, last = lines
    if first == last:
        return (
            f"Line {first} reads and writes what other threads touch: read into a variable, {barrier}, then "
            f"write; in a loop, {barrier} before the next pass as well."
        )
    passed = report.get("barrier_line")
    if isinstance(passed, int) and first < passed < last:
        return (
            f"The barrier in line {passed} orders one side only: put {barrier} after line {last} as well, "
            f"before line {first} comes again."
        )
    return f"Put {barrier} between line {first} and line {last}."


def _verb(access: Report) -> tuple[str, str]:
    return _VERBS.get(str(access.get("access")), ("touched", "touches"))


def _element(report: Report) -> str:
    argument, index = report.get("argument"), report.get("index")
    space = "shared " if report.get("space") == "shared" else ""
    if argument is None:
        return f"{space}memory"
    return f"{space}{argument}[{index}]" if index is not None else f"{space}{argument}"


def _whose(report: Report, other: Report) -> str:
    thread = numbers(other.get("thread"))
    if not thread:
        return "another thread"
    if other.get("block") == report.get("block"):
        return f"thread {thread} of the same block"
    return f"thread {thread} of block {numbers(other.get('block'))}"
