"""What a run says: complaints about unlisted failures, and the committed table."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

REASONS = Path(__file__).with_name("reasons.json")
GOAL = 0.97


@dataclass(frozen=True)
class Result:
    """What became of one sample of an operator: `pass`, `random`, `skip` or `fail`."""

    operator: str
    what: str
    result: str
    reason: str


@dataclass(frozen=True)
class Reason:
    """Why samples of an operator fail: the class that the table groups by, and a sentence."""

    kind: str
    words: str


def reasons() -> dict[str, Reason]:
    """Return the known failures, by operator."""
    return {name: Reason(**entry) for name, entry in json.loads(REASONS.read_text()).items()}


def complaints(results: Sequence[Result], known: Mapping[str, Reason]) -> list[str]:
    """Return what has to be mended: failures without a reason, reasons without a failure."""
    failed = {result.operator: result for result in reversed(results) if result.result == "fail"}
    seen = {result.operator for result in results}
    said = [
        f"{name} ({result.what}) fails and is not listed: {result.reason}"
        for name, result in failed.items()
        if name not in known
    ]
    said += [f"{name} is listed and fails no more" for name in known if name in seen - failed.keys()]
    for direction, share in shares(results).items():
        if share < GOAL:
            said.append(f"{direction}: {share:.2%} of the samples pass, and the goal is {GOAL:.0%}")
    return said


def shares(results: Iterable[Result]) -> dict[str, float]:
    """Return the share of the CPU's samples that pass on the device: forward and backward."""
    counts = _counts(results, lambda result: result.what.split()[0])
    return {
        what: 1 - count["fail"] / total
        for what, count in counts.items()
        if (total := count.total() - count["skip"])
    }


def render(results: Sequence[Result], known: Mapping[str, Reason]) -> str:
    """Return the table as Markdown."""
    operators = {result.operator for result in results}
    failed = {result.operator for result in results if result.result == "fail"}
    lines = [
        "# PyTorch's operator database on `sim`",
        "",
        "Written by `make opinfo`: every float32, int64 and bool sample of "
        "`torch.testing._internal.common_methods_invocations.op_db`, on the CPU and on `sim`. Compared are "
        "results with their types and sizes, arguments afterwards, gradients of a weighted sum of the "
        "results, and that the simulator reports nothing.",
        "",
        f"PyTorch {torch.__version__.split('+')[0]}: {len(operators)} operators, of which "
        f"{len(operators) - len(failed)} pass whole.",
        "",
        *_summary(results),
        "",
        "`random`: values are drawn, or the contents are undefined, so types and sizes are compared. "
        "`left out`: the CPU raises, or no result has a gradient.",
        "",
        "## What fails, and why",
        "",
        *_failures(results, known),
    ]
    return "\n".join(lines) + "\n"


def _counts(results, key):
    counts = defaultdict(Counter)
    for result in results:
        counts[key(result)][result.result] += 1
    return counts


def _summary(results: Sequence[Result]) -> list[str]:
    lines = ["| samples | equal | random | fail | left out | pass |", "|---|---:|---:|---:|---:|---:|"]
    for what, count in _counts(results, lambda result: result.what).items():
        lines.append(_row(what, count))
    for direction, count in _counts(results, lambda result: f"all {result.what.split()[0]}").items():
        lines.append(_row(direction, count))
    return lines


def _row(what: str, count: Counter[str]) -> str:
    total = count.total() - count["skip"]
    cells = (what, count["pass"], count["random"], count["fail"], count["skip"])
    return f"| {' | '.join(map(str, cells))} | {1 - count['fail'] / max(total, 1):.2%} |"


def _failures(results: Sequence[Result], known: Mapping[str, Reason]) -> list[str]:
    counts = _counts(results, lambda result: result.operator)
    rows = defaultdict(list)
    for name, count in counts.items():
        if count["fail"]:
            reason = known.get(name, Reason("unknown", "not looked into"))
            share = f"{count['fail']} of {count.total() - count['skip']}"
            rows[reason.kind].append((name, share, reason.words))
    if not rows:
        return ["Nothing."]
    lines = ["| class | operator | samples that fail | reason |", "|---|---|---:|---|"]
    for kind in sorted(rows):
        lines += [f"| {kind} | `{name}` | {share} | {words} |" for name, share, words in rows[kind]]
    return lines
