"""Which device a check's evidence comes from."""

from __future__ import annotations

import torch

from grader.checks.base import Check


def bench_kind(check: Check, kind: str) -> str:
    """Return `sim` where a GPU cannot show a property, or the machine has too few GPUs to show it."""
    if check.on_sim:
        return "sim"
    if check.devices > 1 and kind == "cuda" and torch.cuda.device_count() < check.devices:
        return "sim"
    return kind
