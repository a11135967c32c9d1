"""`curves`: one line for each named series of numbers, as losses while training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.notebook.plots._picture import BLUE, GREEN, INK, PURPLE, VERMILION, Picture, canvas, finish

_COLOURS = (BLUE, VERMILION, GREEN, PURPLE)
_STYLES = ("-", "--", "-.", ":")


def curves(series: Mapping[str, Sequence[float]], *, x: str = "step", y: str = "loss") -> Picture:
    """Draw positive numbers against their place, the vertical axis logarithmic, each line with its name."""
    if not series or any(not values or min(values) <= 0 for values in series.values()):
        raise ValueError("curves draws at least one series, none empty, of positive numbers")
    figure, axes = canvas(3.0)
    axes.set_axis_on()
    axes.set_position((0.1, 0.17, 0.68, 0.78))
    for place, (name, values) in enumerate(series.items()):
        colour, style = _COLOURS[place % len(_COLOURS)], _STYLES[place % len(_STYLES)]
        axes.plot(range(len(values)), values, color=colour, linestyle=style, linewidth=2)
        end = (len(values) - 1, values[-1])
        says = f"{name}\n{values[-1]:.2g}"
        axes.annotate(says, end, (8, 0), textcoords="offset points", color=colour, fontsize=9.5, va="center")
    axes.set_yscale("log")
    axes.margins(x=0.0)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.grid(visible=True, which="major", color="#E3E3E3")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return finish(figure, _alt(series, x, y))


def _alt(series: Mapping[str, Sequence[float]], x: str, y: str) -> str:
    lines = [
        f"{name} goes from {values[0]:.3g} to {values[-1]:.3g} over {len(values)} values."
        for name, values in series.items()
    ]
    return f"Curves of {y} against {x}, logarithmic. " + " ".join(lines)
