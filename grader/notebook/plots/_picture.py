"""`Picture`: a drawing with alt text, shown by Jupyter as an image and by a terminal as text."""

from __future__ import annotations

import base64
import html
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PIXELS_PER_INCH = 100
WIDTH_INCHES = 8.0
"""800 CSS pixels: a JupyterLab output is about that wide on a small laptop."""

# Okabe and Ito's palette: told apart with every common kind of colour blindness, and in grey.
SKY, ORANGE, GREEN, YELLOW = "#56B4E9", "#E69F00", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
GREY, PALE, INK = "#9A9A9A", "#EDEDED", "#1A1A1A"
SERIES = (SKY, ORANGE, "#8FD6BF", YELLOW, PURPLE, "#B8A9E0", "#D9B38C", "#BFD7EA")


@dataclass(frozen=True)
class Picture:
    """A drawing and the words that stand for it.

    `alt` says what can be seen, for a reader who cannot see it.  `labels` are all texts in the drawing.
    """

    alt: str
    png: bytes = field(repr=False)
    labels: tuple[str, ...] = field(default=(), repr=False)
    width: int = int(WIDTH_INCHES * PIXELS_PER_INCH)

    def __repr__(self) -> str:
        """Return the plain-text form."""
        return f"[picture] {self.alt}"

    def html(self) -> str:
        """Return an HTML fragment: one image with alt text, on white in light and dark themes."""
        data = base64.b64encode(self.png).decode("ascii")
        style = "background:#fff;border-radius:4px;max-width:100%;height:auto"
        return (
            f'<img alt="{html.escape(self.alt, quote=True)}" width="{self.width}" style="{style}" '
            f'src="data:image/png;base64,{data}">'
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": repr(self)}


def canvas(height: float) -> tuple[Figure, Axes]:
    """Return a figure of notebook width and `height` inches, and its bare axes, outside pyplot's registry."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, height), facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    axes.set_axis_off()
    return figure, axes


def finish(figure: Figure, alt: str) -> Picture:
    """Render `figure` at twice the screen's resolution."""
    from matplotlib.text import Text

    labels = tuple(text.get_text() for text in figure.findobj(Text) if text.get_text())
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=2 * PIXELS_PER_INCH, facecolor="white")
    return Picture(alt=" ".join(alt.split()), png=stream.getvalue(), labels=labels)


def cell(axes: Axes, x: float, y: float, text: str = "", fill: str = PALE, **style: Any) -> None:
    """Draw a box of `width` by `height` (1 by 1) with its lower left corner at (x, y) and `text` inside."""
    from matplotlib.patches import Rectangle

    width, height = style.pop("width", 1.0), style.pop("height", 1.0)
    size, ink = style.pop("size", 8), style.pop("ink", INK)
    box: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.7, **style}
    axes.add_patch(Rectangle((x, y), width, height, facecolor=fill, **box))
    if text:
        axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=size, color=ink)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], **style: Any) -> None:
    """Draw an arrow in data coordinates."""
    look = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0} | style
    axes.annotate("", xy=end, xytext=start, arrowprops=look)
