"""`traffic`: the bytes that each operation reads and writes, one bar for each way of computing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from grader.notebook.plots._picture import INK, ORANGE, SKY, Picture, canvas, cell, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MovedLike(Protocol):
    """One operation's bytes."""

    @property
    def operation(self) -> str:
        """The operation's name."""

    @property
    def read(self) -> int:
        """Bytes read."""

    @property
    def written(self) -> int:
        """Bytes written."""


class FootprintLike(Protocol):
    """What a call moved."""

    @property
    def moved(self) -> Sequence[MovedLike]:
        """Its operations in order."""

    @property
    def bytes(self) -> int:
        """All bytes."""

    @property
    def launches(self) -> int:
        """How many kernels ran."""


def traffic(footprints: Mapping[str, FootprintLike]) -> Picture:
    """Draw a bar for each named footprint, as long as its bytes; blue is read, orange written."""
    if not footprints or not any(one.bytes for one in footprints.values()):
        raise ValueError("traffic draws at least one footprint that moves something")
    most = max(one.bytes for one in footprints.values())
    figure, axes = canvas(0.75 + 0.95 * len(footprints))
    for row, (name, one) in enumerate(reversed(list(footprints.items()))):
        _bar(axes, name, one, row, most)
    _legend(axes, len(footprints))
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.15, len(footprints) + 0.45)
    return finish(figure, _alt(footprints))


def _bar(axes: Axes, name: str, one: FootprintLike, row: int, most: int) -> None:
    plural = "" if one.launches == 1 else "s"
    says = f"{name}: {one.launches} kernel{plural}, {one.bytes / 1e6:.4g} MB"
    axes.text(0, row + 0.62, says, fontsize=10, va="bottom")
    x = 0.0
    for moved in one.moved:
        start = x
        for size, fill in ((moved.read, SKY), (moved.written, ORANGE)):
            cell(axes, x, row + 0.2, fill=fill, width=size / most, height=0.36, linewidth=0.4)
            x += size / most
        if x - start > 0.012 * len(moved.operation):
            middle = (start + x) / 2
            axes.text(middle, row + 0.15, moved.operation, fontsize=8.5, ha="center", va="top", color=INK)


def _legend(axes: Axes, top: float) -> None:
    for x, fill, says in ((0.0, SKY, "read"), (0.12, ORANGE, "written")):
        cell(axes, x, top + 0.14, fill=fill, width=0.025, height=0.16, linewidth=0.4)
        axes.text(x + 0.035, top + 0.22, says, fontsize=9, va="center")


def _alt(footprints: Mapping[str, FootprintLike]) -> str:
    parts = []
    for name, one in footprints.items():
        steps = ", ".join(
            f"{moved.operation} reads {moved.read / 1e6:.4g} MB and writes {moved.written / 1e6:.4g} MB"
            for moved in one.moved
        )
        parts.append(f"{name} launches {one.launches} and moves {one.bytes / 1e6:.4g} MB: {steps}")
    return f"Bytes moved, as bars. {'. '.join(parts)}."
