"""`thread_map`: which thread of a one-dimensional launch handles which element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.notebook.plots._picture import (
    GREY,
    PALE,
    SERIES,
    VERMILION,
    Picture,
    arrow,
    canvas,
    cell,
    finish,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CELLS = 40
"""More threads than this are drawn as one bar a block."""
MOST_BARS = 6
HATCH = "////"


def thread_map(grid: int, block: int, n: int) -> Picture:
    """Draw `grid` blocks of `block` threads above `n` elements, thread `i` above element `i`.

    Threads without an element and elements without a thread are hatched.
    """
    if grid < 0 or block < 1 or n < 0:
        raise ValueError(f"thread_map needs grid >= 0, block >= 1, n >= 0, got {grid}, {block}, {n}")
    draw = _cells if max(grid * block, n) <= MOST_CELLS else _bars
    return draw(grid, block, n)


def _summary(grid: int, block: int, n: int) -> str:
    threads = grid * block
    if threads > n:
        rest = f"the threads with i = {_span(n, threads)} have no element"
    elif threads < n:
        rest = f"the elements i = {_span(threads, n)} have no thread"
    else:
        rest = "each thread has one element"
    return f"{grid} × {block} = {threads} threads, {n} elements: {rest}"


def _span(first: int, end: int) -> str:
    return f"{first} to {end - 1}" if end - first > 1 else str(first)


def _cells(grid: int, block: int, n: int) -> Picture:
    threads, span = grid * block, max(grid * block, n, 1)
    figure, axes = canvas(2.3)
    size = 8 if span <= 26 else 6
    for i in range(threads):
        colour = SERIES[i // block % len(SERIES)]
        _cell(axes, i, 2, str(i % block), colour if i < n else None, size)
        if i < n:
            arrow(axes, (i + 0.5, 1.95), (i + 0.5, 1.1), linewidth=0.7, mutation_scale=6)
    for b in range(grid):
        axes.text((b + 0.5) * block, 3.25, f"block {b}", ha="center", fontsize=9)
    for i in range(n):
        _cell(axes, i, 0, str(i), SERIES[i // block % len(SERIES)] if i < threads else None, size)
    axes.text(-0.3, 2.5, "threadIdx.x", ha="right", va="center", fontsize=9)
    axes.text(-0.3, 0.5, "element i", ha="right", va="center", fontsize=9)
    axes.text(span / 2, -0.75, _summary(grid, block, n), ha="center", va="center", fontsize=10)
    axes.set_xlim(-0.16 * span - 0.5, span + 0.3)
    axes.set_ylim(-1.2, 3.9)
    return finish(figure, _alt(grid, block, n))


def _cell(axes: Axes, x: float, y: float, text: str, fill: str | None, size: int) -> None:
    """Draw a thread or an element; one without a partner has no `fill` and is hatched."""
    if fill:
        cell(axes, x, y, text, fill, size=size)
    else:
        cell(axes, x, y, text, "white", size=size, ink=VERMILION, hatch=HATCH, edgecolor="#C8C8C8")


def _alt(grid: int, block: int, n: int) -> str:
    return (
        f"Thread map. A row of threads, in {grid} blocks of {block}, above a row of {n} elements. "
        f"The thread with index i = block × {block} + thread points to element i. {_summary(grid, block, n)}."
    )


def _bars(grid: int, block: int, n: int) -> Picture:
    """Draw one bar a block, to scale, with the middle blocks left out when there are many."""
    shown = list(range(grid)) if grid <= MOST_BARS else [0, 1, grid - 2, grid - 1]
    figure, axes = canvas(2.3)
    left = 0.0
    for place, b in enumerate(shown):
        if place and b != shown[place - 1] + 1:
            axes.text(left + 0.25, 0.5, "…", ha="center", va="center", fontsize=16)
            left += 0.5
        _bar(axes, left, b, block, n)
        left += 1.08
    if grid * block < n:
        _uncovered(axes, left, grid * block, n)
        left += 0.8
    axes.text(left / 2, -1.0, _summary(grid, block, n), ha="center", fontsize=10)
    axes.set_xlim(-0.05, left)
    axes.set_ylim(-1.3, 1.7)
    return finish(figure, _alt(grid, block, n))


def _bar(axes: Axes, left: float, b: int, block: int, n: int) -> None:
    first, last = b * block, (b + 1) * block - 1
    used = min(max(n - first, 0), block)
    size = 8
    axes.text(left + 0.5, 1.15, f"block {b}\nthreads 0 to {block - 1}", ha="center", fontsize=size)
    if used:
        text = f"i = {first}\nto {first + used - 1}" if used * 4 >= block else ""
        cell(axes, left, 0, text, SERIES[b % len(SERIES)], width=used / block, size=size)
    if used < block:
        cell(axes, left + used / block, 0, "", "white", width=1 - used / block, hatch=HATCH, edgecolor=GREY)
        says = f"i = {first + used} to {last}\nno element"
        axes.text(left + 1, -0.12, says, ha="right", va="top", fontsize=size, color=VERMILION)


def _uncovered(axes: Axes, left: float, first: int, n: int) -> None:
    cell(axes, left, 0, "", PALE, width=0.7, hatch=HATCH, edgecolor=VERMILION)
    says = f"elements {first}\nto {n - 1}\nno thread"
    axes.text(left + 0.35, -0.08, says, ha="center", va="top", fontsize=8, color=VERMILION)
