"""What the simulator saw while a cell ran, told below that cell.

A GPU says nothing of a read beyond the end; learners who call their function before they check it should
not take a plausible result for a right one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from grader.notebook import card
from grader.notebook.display import show

_SHOWN = 3
_UNTOLD = frozenset({"absent_lane", "same_value_write", "leak"})
"""Warnings that cost no marks, and memory that a later cell may still give back."""

Report = dict[str, Any]


def register(running: Any) -> None:
    """Tell after each cell of an IPython shell; a second call changes nothing."""
    if tell not in running.events.callbacks["post_run_cell"]:
        running.events.register("post_run_cell", tell)


def tell(result: Any = None) -> None:
    """Show what the simulator has seen since the last cell; nothing where it saw nothing or is not loaded."""
    lines = _lines(_seen())
    if lines:
        text = "\n".join(lines)
        show(card.warning_card("Seen by the simulator while this cell ran", text), text)


def _seen() -> list[Report]:
    simulator = sys.modules.get("grader.simulator")
    if simulator is None or not simulator.is_loaded():
        return []
    from grader.simulator import symbols

    return symbols.resolve(one for one in simulator.reports() if one.get("kind") not in _UNTOLD)


def _lines(reports: Sequence[Report]) -> list[str]:
    """Return one line a fault, alike ones once, and how many more there are."""
    if not reports:
        return []
    from grader.judge import messages

    alike = {_sameness(report): report for report in reversed(reports)}
    lines = [messages.report("The simulator", report, None) for report in reversed(alike.values())]
    more = len(lines) - _SHOWN
    return lines[:_SHOWN] + ([f"And {more} more of other kinds or in other lines."] if more > 0 else [])


def _sameness(report: Report) -> tuple[Any, ...]:
    return tuple(report.get(key) for key in ("kind", "kernel", "argument", "line", "launch_line"))
