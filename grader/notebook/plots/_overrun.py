"""`overrun`: an access outside an array, from the simulator's report of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from grader.notebook.plots._picture import INK, SKY, VERMILION, Picture, arrow, canvas, cell, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INSIDE, OUTSIDE = 6, 4
"""How many elements are drawn on either side of the array's edge."""
RED_ZONE = "#FBE3D6"


def overrun(report: Mapping[str, Any]) -> Picture:
    """Draw the end (or start) of the array that a report speaks of, and the access beyond it.

    `report` is an `out_of_bounds` report of the simulator (docs/architecture.md, seam 3), with its `index`
    and `numel`.
    """
    if "index" not in report or "numel" not in report:
        raise ValueError("overrun needs a report with `index` and `numel`")
    index, numel = int(report["index"]), int(report["numel"])
    figure, axes = canvas(2.4)
    shown = _window(index, numel)
    for x, element in enumerate(shown):
        _draw_element(axes, x, element, index, numel)
    _draw_edge(axes, shown, numel, report)
    _draw_access(axes, shown, report)
    axes.set_xlim(-1.0, len(shown) + 1.0)
    axes.set_ylim(-1.35, 3.2)
    return finish(figure, _alt(report))


def _window(index: int, numel: int) -> list[int | None]:
    """Return the elements drawn, in order; `None` stands for elements left out."""
    if index < 0:
        near: list[int | None] = list(range(-min(-index, OUTSIDE), min(numel, INSIDE)))
        return near if -index <= OUTSIDE else [index, None, *near]
    first = max(0, numel - INSIDE)
    near = list(range(first, numel + OUTSIDE))
    return near if index < numel + OUTSIDE else [*near, None, index]


def _draw_element(axes: Axes, x: int, element: int | None, index: int, numel: int) -> None:
    if element is None:
        axes.text(x + 0.5, 0.5, "…", ha="center", va="center", fontsize=14)
        return
    inside = 0 <= element < numel
    if element == index:
        cell(axes, x, 0, str(element), VERMILION, ink="white", linewidth=1.6, size=8)
    elif inside:
        cell(axes, x, 0, str(element), SKY, size=8)
    else:
        cell(axes, x, 0, str(element), RED_ZONE, hatch="....", edgecolor="#C9A08A", size=8)


def _draw_edge(axes: Axes, shown: list[int | None], numel: int, report: Mapping[str, Any]) -> None:
    before = int(report["index"]) < 0
    x = shown.index(0) if before and numel else shown.index(numel - 1) + 1 if numel else len(shown) * before
    axes.plot([x, x], [-0.35, 1.4], color="black", linewidth=2)
    name = report.get("argument", "the array")
    texts = [(f"{name}: {_elements(numel)}", INK), (f"not part of {name}", VERMILION)]
    if before:
        texts.reverse()
    for (text, colour), side, align in zip(texts, (-0.15, 0.15), ("right", "left"), strict=True):
        axes.text(x + side, -0.55, text, ha=align, va="top", fontsize=9, color=colour)


def _elements(numel: int) -> str:
    return f"elements 0 to {numel - 1}" if numel > 1 else "element 0" if numel else "no elements"


def _draw_access(axes: Axes, shown: list[int | None], report: Mapping[str, Any]) -> None:
    x = shown.index(int(report["index"])) + 0.5
    arrow(axes, (x, 1.95), (x, 1.05), color=VERMILION, linewidth=2)
    centre = min(max(x, 3.4), len(shown) - 3.4)
    axes.text(centre, 2.05, _who(report), ha="center", va="bottom", fontsize=9.5, color=VERMILION)


def _who(report: Mapping[str, Any]) -> str:
    name, index = report.get("argument", "array"), report["index"]
    text = f"{report.get('access', 'access')} of {name}[{index}]"
    if "bytes" in report:
        text += f", {report['bytes']} bytes"
    where = [f"{part} {_coordinates(report[part])}" for part in ("block", "thread") if part in report]
    where += [f"line {report['line']}"] if report.get("line") else []
    return text + ("\n" + ", ".join(where) if where else "")


def _coordinates(place: Any) -> str:
    x, y, z = (*place, 0, 0)[:3]
    return str(x) if y == z == 0 else f"({x}, {y}, {z})"


def _alt(report: Mapping[str, Any]) -> str:
    index, numel = int(report["index"]), int(report["numel"])
    name = report.get("argument", "the array")
    past = f"{index - numel + 1} past the last element"
    side = past if index >= numel else f"{-index} before the first element"
    count = report.get("count", 1)
    again = f" {count} such accesses were seen." if count > 1 else ""
    who = _who(report).replace("\n", ", ")
    return f"Array {name} has {_elements(numel)}. {who}: {side}.{again}"
