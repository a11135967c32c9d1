"""Measurements and the Markdown table that they are shown in."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """Repeated values of one quantity.  `bound` is what issue and design allow for its median."""

    what: str
    values: tuple[float, ...]
    unit: str = "s"
    bound: float | None = None

    @property
    def median(self) -> float:
        """The middle value."""
        return statistics.median(self.values)


def markdown(measurements: Sequence[Measurement], unit_name: str, unit_value: float) -> str:
    """Return a table of medians, worst values and bounds, with the ratio to one quantity of the same run."""
    rows = [f"| what | median | worst | bound | {unit_name} = 1 |", "|---|---:|---:|---:|---:|"]
    rows += [_row(m, unit_value) for m in measurements]
    return "\n".join(rows)


def _row(m: Measurement, unit_value: float) -> str:
    bound = "" if m.bound is None else f"{m.bound:g} {m.unit}"
    ratio = f"{m.median / unit_value:.3f}" if m.unit == "s" else ""
    return f"| {m.what} | {m.median:.2f} {m.unit} | {max(m.values):.2f} {m.unit} | {bound} | {ratio} |"
