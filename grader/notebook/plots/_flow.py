"""`flow`: boxes and arrows between them, for what goes through several hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.notebook.plots._picture import GREY, INK, PALE, SERIES, Picture, canvas, finish

Box = tuple[float, float, str, int]
"""Centre from the left and from below, text, and an index of the palette; -1 is pale."""


def flow(
    boxes: Mapping[str, Box], arrows: Sequence[tuple[str, str, str]], alt: str, height: float = 2.6
) -> Picture:
    """Draw boxes by name, and arrows from one to another with a text on each.

    Coordinates run from 0 to 10 to the right and from 0 to 3 upwards.
    """
    figure, axes = canvas(height)
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 3)
    drawn: dict[str, Any] = {}
    for name, (x, y, text, color) in boxes.items():
        style = {
            "boxstyle": "round,pad=0.5", "facecolor": SERIES[color] if color >= 0 else PALE, "edgecolor": GREY
        }  # fmt: skip
        drawn[name] = axes.text(
            x, y, text, ha="center", va="center", fontsize=9, color=INK, bbox=style, zorder=3
        )
    figure.canvas.draw()  # now the boxes know how large they are
    extents = {
        name: text.get_bbox_patch().get_window_extent().transformed(axes.transData.inverted())
        for name, text in drawn.items()
    }
    for start, end, text in arrows:
        here, there = boxes[start][:2], boxes[end][:2]
        line = {"arrowstyle": "-|>", "color": INK, "shrinkA": 1, "shrinkB": 1}
        edges = _edge(here, there, extents[start]), _edge(there, here, extents[end])
        axes.annotate("", edges[1], edges[0], arrowprops=line, zorder=2)
        if text:
            plain = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
            middle = ((edges[0][0] + edges[1][0]) / 2, (edges[0][1] + edges[1][1]) / 2)
            axes.text(*middle, text, ha="center", va="center", fontsize=8, color=INK, bbox=plain, zorder=4)
    return finish(figure, alt)


def _edge(inside: tuple[float, float], outside: tuple[float, float], box: Any) -> tuple[float, float]:
    """Return where the line from a box's centre to a point outside leaves the box."""
    across, up = outside[0] - inside[0], outside[1] - inside[1]
    shares = [(box.width / 2) / abs(across)] if across else []
    shares += [(box.height / 2) / abs(up)] if up else []
    share = min([*shares, 1.0])
    return inside[0] + share * across, inside[1] + share * up
