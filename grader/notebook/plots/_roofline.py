"""`roofline`: how fast kernels could be for the bytes that they move, and how fast they were."""

from __future__ import annotations

from collections.abc import Mapping

from grader.notebook.plots._picture import BLUE, GREEN, INK, PURPLE, VERMILION, Picture, canvas, finish

_COLOURS = (BLUE, VERMILION, GREEN, PURPLE)
_MARKS = ("o", "s", "^", "D")


def roofline(
    kernels: Mapping[str, tuple[float, float | None]], *, bandwidth: float, arithmetic: float
) -> Picture:
    """Draw the roof of a device that moves `bandwidth` bytes and does `arithmetic` operations a second.

    Each kernel has its operations for each byte, and how many operations a second it was measured to do; with
    None in place of a measurement it is drawn hollow, at the roof, as the most that it could do.
    """
    if not kernels or bandwidth <= 0 or arithmetic <= 0:
        raise ValueError("roofline draws at least one kernel under a roof of positive numbers")
    if any(one <= 0 or (rate is not None and rate <= 0) for one, rate in kernels.values()):
        raise ValueError("roofline draws on logarithmic axes: intensities and rates are positive")
    figure, axes = canvas(3.6)
    axes.set_axis_on()
    axes.set_position((0.1, 0.15, 0.86, 0.8))
    ridge = arithmetic / bandwidth
    low = min(0.1, *(one / 2 for one, _ in kernels.values()))
    high = max(ridge * 10, *(one * 2 for one, _ in kernels.values()))
    roof = [min(at * bandwidth, arithmetic) for at in (low, ridge, high)]
    axes.plot([low, ridge, high], roof, color=INK, linewidth=2)
    for place, (name, (intensity, rate)) in enumerate(kernels.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        most = min(intensity * bandwidth, arithmetic)
        axes.plot(
            [intensity],
            [most if rate is None else rate],
            marker=_MARKS[place % len(_MARKS)],
            markersize=9,
            linestyle="none",
            color=colour,
            markerfacecolor="white" if rate is None else colour,
            label=name,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations for each byte", color=INK)
    axes.set_ylabel("operations a second", color=INK)
    axes.grid(visible=True, which="major", color="#E3E3E3")
    axes.legend(frameon=False, fontsize=9.5, loc="lower right")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return finish(figure, _alt(kernels, bandwidth, arithmetic))


def _alt(kernels: Mapping[str, tuple[float, float | None]], bandwidth: float, arithmetic: float) -> str:
    lines = [
        f"A roof that rises to {arithmetic:.2g} operations a second "
        f"at {arithmetic / bandwidth:.3g} for each byte."
    ]
    for name, (intensity, rate) in kernels.items():
        most = min(intensity * bandwidth, arithmetic)
        said = (
            f"could do {most:.2g}"
            if rate is None
            else f"does {rate:.2g}, {rate / most:.0%} of the roof there"
        )
        lines.append(f"{name}: {intensity:.2g} operations for each byte, {said}.")
    return " ".join(lines)
