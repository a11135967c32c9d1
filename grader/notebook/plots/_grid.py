"""`block_map`: which block and thread of a two-dimensional launch wrote which element of a matrix."""

from __future__ import annotations

from collections.abc import Sequence

from grader.notebook.plots._picture import SERIES, Picture, canvas, cell, finish

MOST_ROWS, MOST_COLUMNS = 16, 24
HATCH = "////"
Pairs = Sequence[Sequence[Sequence[int]]]
"""For each row and column of a matrix an (x, y), or (-1, -1) for nobody."""


def block_map(blocks: Pairs, threads: Pairs) -> Picture:
    """Draw a matrix whose colours are blocks, with the thread's x, y in each element; hatched is nobody's.

    Both arguments are what threads wrote down: nested lists `[row][column] -> (x, y)`.
    """
    rows, columns = len(blocks), len(blocks[0]) if blocks else 0
    if not 0 < rows <= MOST_ROWS or not 0 < columns <= MOST_COLUMNS:
        raise ValueError(
            f"block_map draws up to {MOST_ROWS} x {MOST_COLUMNS} elements, got {rows} x {columns}"
        )
    found = sorted({tuple(pair) for row in blocks for pair in row if pair[0] >= 0})
    if len(found) > len(SERIES):
        raise ValueError(f"block_map draws up to {len(SERIES)} blocks, each in its colour, got {len(found)}")
    colours = dict(zip(found, SERIES, strict=False))
    figure, axes = canvas(0.62 + 0.33 * rows)
    wide = 1.6
    for row in range(rows):
        for column in range(columns):
            block, (x, y) = tuple(blocks[row][column]), threads[row][column]
            style = {"width": wide, "size": 8} | ({} if block in colours else {"hatch": HATCH})
            text = f"{x},{y}" if block in colours else ""
            cell(axes, column * wide, rows - 1 - row, text, colours.get(block, "#FFFFFF"), **style)
    for number, pair in enumerate(found):
        cell(axes, number * 4.2, rows + 0.35, fill=colours[pair], width=0.8, height=0.6)
        axes.text(number * 4.2 + 1.0, rows + 0.65, f"block {pair[0]},{pair[1]}", fontsize=8.5, va="center")
    axes.set_xlim(-0.2, max(columns * wide, 4.2 * len(found)) + 0.2)
    axes.set_ylim(-0.2, rows + 1.3)
    return finish(figure, _alt(blocks, threads, found))


def _alt(blocks: Pairs, threads: Pairs, found: Sequence[tuple[int, ...]]) -> str:
    lines = []
    for row, pairs in enumerate(blocks):
        words = [
            f"block {pair[0]},{pair[1]} thread {thread[0]},{thread[1]}" if pair[0] >= 0 else "nobody"
            for pair, thread in zip(pairs, threads[row], strict=True)
        ]
        lines.append(f"row {row}: {'; '.join(words)}")
    return f"Matrix of {len(blocks)} rows, written by {len(found)} blocks. {'. '.join(lines)}."
