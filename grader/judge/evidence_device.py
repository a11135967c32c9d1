"""Which device a check's evidence comes from."""

from __future__ import annotations

import torch

from grader.checks.base import Bench, Check
from grader.checks.evidence import all_reports
from grader.checks.memory import UNDEFINED


def bench_kind(check: Check, kind: str) -> str:
    """Return `sim` where a GPU cannot show a property, or the machine has too few GPUs to show it."""
    if check.on_sim:
        return "sim"
    if check.devices > 1 and kind == "cuda" and torch.cuda.device_count() < check.devices:
        return "sim"
    return kind


def is_undefined(beside: Bench | None) -> bool:
    """Whether the simulator saw undefined behaviour, after which a GPU's values are a matter of luck.

    Memory that was freed may still hold the right numbers there, and the same out-of-bounds read returns a
    neighbour's value in one process and ends another.  Marks must not depend on it.
    """
    if beside is None:
        return False
    return any(report.get("kind") in UNDEFINED for _, reports in all_reports(beside) for report in reports)
