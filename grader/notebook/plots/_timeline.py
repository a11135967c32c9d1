"""`timeline`: kernels on their streams, the accesses, and the edge that orders them or is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grader.notebook.plots._picture import (
    GREEN,
    ORANGE,
    SERIES,
    SKY,
    VERMILION,
    Picture,
    arrow,
    canvas,
    cell,
    finish,
)
from grader.notebook.plots._record import Launch, stream_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOX_HEIGHT, LANE = 0.62, 1.5
RACER_START, RACER_LENGTH = 0.12, 0.5
"""Without measured times: the first kernel lasts 1, a later one that waits for nothing starts inside it."""


@dataclass(frozen=True)
class _Box:
    launch: Launch
    start: float
    end: float
    note: str


def timeline(
    launches: Iterable[Launch] | Iterable[Mapping[str, Any]] | Mapping[str, Any],
    *,
    notes: Mapping[str, str] | None = None,
    missing: tuple[str, str] | None = None,
    edges: Sequence[tuple[str, str]] = (),
) -> Picture:
    """Draw one lane a stream and one box a kernel, to scale where times are known.

    `notes` maps a kernel's name to what it does with the data ("writes x").  `edges` and `missing` are pairs
    of kernel names, earlier one first: an edge that is there, and the one that is not.  Names may be a part
    of the kernel's name.  Instead of launches, a `stream_race` or `wrong_stream` report of the simulator may
    be given, or several, of which the first is drawn.
    """
    given = [launches] if isinstance(launches, Mapping) else list(launches)
    reports = [item for item in given if isinstance(item, Mapping)]
    if reports:
        return _of_report(reports[0])
    boxes = _schedule([item for item in given if isinstance(item, Launch)], notes or {}, edges)
    if not boxes:
        raise ValueError("timeline needs at least one launch")
    lanes = list(dict.fromkeys(box.launch.stream for box in boxes))
    figure, axes = canvas(0.75 + 0.95 * len(lanes))
    span = max(box.end for box in boxes)
    _draw_lanes(axes, lanes, span, _axis(boxes, span))
    for box in boxes:
        _draw_box(axes, box, lanes, span)
    for earlier, later in edges:
        _draw_edge(axes, _find(boxes, earlier), _find(boxes, later), lanes, "event", missing=False)
    if missing:
        earlier, later = missing
        _draw_edge(axes, _find(boxes, earlier), _find(boxes, later), lanes, "no edge", missing=True)
    axes.set_xlim(-0.19 * span, 1.03 * span)
    axes.set_ylim(-0.95, LANE * len(lanes) - 0.25)
    return finish(figure, _alt(boxes, edges, missing))


def _schedule(
    launches: list[Launch], notes: Mapping[str, str], edges: Sequence[tuple[str, str]]
) -> list[_Box]:
    """Give every launch a start and an end: the measured ones, or as early as streams and edges allow."""
    boxes: list[_Box] = []
    zero = min((launch.start for launch in launches if launch.start is not None), default=0.0)
    for launch in launches:
        note = next((text for name, text in notes.items() if name in launch.kernel), "")
        if launch.start is not None and launch.end is not None:
            boxes.append(_Box(launch, launch.start - zero, launch.end - zero, note))
            continue
        before = [box.end for box in boxes if box.launch.stream == launch.stream]
        before += [_find(boxes, a).end for a, b in edges if b in launch.kernel and _has(boxes, a)]
        start = max(before, default=RACER_START if boxes else 0.0)
        boxes.append(_Box(launch, start, start + (RACER_LENGTH if boxes else 1.0), note))
    return boxes


def _has(boxes: list[_Box], name: str) -> bool:
    return any(name in box.launch.kernel for box in boxes)


def _axis(boxes: list[_Box], span: float) -> str:
    if boxes[0].launch.start is None:
        return " (order only, not to scale)"
    return f" ({span:,.0f} microseconds from end to end)"


def _find(boxes: list[_Box], name: str) -> _Box:
    found = [box for box in boxes if name in box.launch.kernel]
    if not found:
        seen = ", ".join(box.launch.kernel for box in boxes)
        raise ValueError(f"no launch of {name!r} among: {seen}")
    return found[0]


def _height(box: _Box, lanes: list[str]) -> float:
    return LANE * (len(lanes) - 1 - lanes.index(box.launch.stream))


def _draw_lanes(axes: Axes, lanes: list[str], span: float, remark: str) -> None:
    for place, name in enumerate(lanes):
        y = LANE * (len(lanes) - 1 - place) + BOX_HEIGHT / 2
        axes.plot([0, 1.01 * span], [y, y], color="#BBBBBB", linewidth=1, zorder=0)
        axes.text(-0.01 * span, y, name, ha="right", va="center", fontsize=9.5)
    arrow(axes, (0, -0.6), (1.01 * span, -0.6), color="#777777", linewidth=1)
    says = f"time on the device{remark}"
    axes.text(0.5 * span, -0.68, says, ha="center", va="top", fontsize=8.5, color="#555555")


def _draw_box(axes: Axes, box: _Box, lanes: list[str], span: float) -> None:
    y = _height(box, lanes)
    colour = (SKY, ORANGE, *SERIES[2:])[lanes.index(box.launch.stream) % len(SERIES)]
    width = max(box.end - box.start, 0.012 * span)
    says = box.launch.kernel + (f"\n{box.note}" if box.note else "")
    wide = width > 0.22 * span
    cell(axes, box.start, y, says if wide else "", colour, width=width, height=BOX_HEIGHT, size=8.5)
    if not wide:
        axes.text(box.start, y - 0.05, says.replace("\n", ": "), fontsize=8.5, va="top")


def _draw_edge(axes: Axes, earlier: _Box, later: _Box, lanes: list[str], says: str, *, missing: bool) -> None:
    up = _height(later, lanes) > _height(earlier, lanes)
    start = (earlier.end, _height(earlier, lanes) + (BOX_HEIGHT if up else 0))
    end = (later.start, _height(later, lanes) + (0 if up else BOX_HEIGHT))
    colour = VERMILION if missing else GREEN
    arrow(axes, start, end, color=colour, linewidth=2, linestyle="--" if missing else "-", mutation_scale=14)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    box = {"facecolor": "white", "edgecolor": colour, "boxstyle": "round,pad=0.25"}
    axes.text(*middle, says, color=colour, fontsize=9, ha="center", va="center", bbox=box)


def _of_report(report: Mapping[str, Any]) -> Picture:
    """Draw both accesses of a race report: the one that had to come first, and the one that did not wait."""
    other = dict(report.get("other", {}))
    other.setdefault("stream", report.get("current_stream"))
    name = report.get("argument", "the data")
    pair = [
        (Launch(_named(access, otherwise), _lane(access), _line(access)), _access(access, does, name))
        for access, otherwise, does in ((other, "earlier work", "write"), (report, "kernel", "read"))
    ]
    (first, does), (second, did) = reversed(pair) if other.get("later") else pair
    if first.kernel == second.kernel:
        first = replace(first, kernel=f"{first.kernel} (earlier)")
        second = replace(second, kernel=f"{second.kernel} (later)")
    accesses = {first.kernel: does, second.kernel: did}
    return timeline([first, second], notes=accesses, missing=(first.kernel, second.kernel))


def _named(access: Mapping[str, Any], otherwise: str) -> str:
    return str(access.get("kernel") or access.get("operator") or otherwise)


def _line(access: Mapping[str, Any]) -> int | None:
    return access.get("launch_line") or access.get("line")


def _lane(access: Mapping[str, Any]) -> str:
    stream = access.get("stream")
    return "another stream" if stream is None else stream_name(int(stream))


def _access(access: Mapping[str, Any], otherwise: str, name: str) -> str:
    return f"{access.get('access', otherwise)}s {name}"


def _alt(boxes: list[_Box], edges: Sequence[tuple[str, str]], missing: tuple[str, str] | None) -> str:
    scale = all(box.launch.start is not None for box in boxes)
    parts = [_alt_box(box, scale) for box in boxes]
    parts += [f"An edge makes {later} wait for {earlier}." for earlier, later in edges]
    if missing:
        parts.append(f"No edge makes {missing[1]} wait for {missing[0]}: it may start before that has ended.")
    return "Timeline of streams. " + " ".join(parts)


def _alt_box(box: _Box, scale: bool) -> str:
    note = f" ({box.note})" if box.note else ""
    when = f", from {box.start:.0f} to {box.end:.0f} microseconds" if scale else ""
    return f"{box.launch.kernel}{note} runs on {box.launch.stream}{when}."
