"""What drawing shares: an empty figure with room for its caption, names at the ends of curves, numbers."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from quorate.lab.figures.style import CAPTION_SIZE

# Inches.
WIDTH = 8.0
PLOT_HEIGHT = 4.4
LINE_HEIGHT = 1.42 * CAPTION_SIZE / 72.0
MARGIN = 0.12
# Above the axes for the title, below them for ticks and the axis label, beside them for the names of curves.
ABOVE, BELOW, LEFT, RIGHT = 0.42, 0.5, 0.92, 1.2
LETTERS_TO_AN_INCH = 19.2
POINTS_TO_AN_INCH = 72.0
# The least distance between two names, in points.
APART = 11.5
# The spaces around a relation or a fraction's bar, and those before a symbol of one letter.
GLUE = re.compile(r" (?=[=≥>/] )|(?<= [=≥>/]) | (?=[αμξ]\b)|(?<=\d) (?=ln\(|h)")


def blank(
    caption: str,
    *,
    height: float = PLOT_HEIGHT,
    left: float = LEFT,
    right: float = RIGHT,
    above: float = ABOVE,
) -> tuple[Figure, Axes]:
    """A figure of one pair of axes, with the caption under it. Lengths in inches."""
    letters = int((WIDTH - 2 * MARGIN) * LETTERS_TO_AN_INCH)
    lines = [line for paragraph in caption.split("\n") for line in wrapped(paragraph, letters)]
    foot = len(lines) * LINE_HEIGHT + 2 * MARGIN
    total = height + foot
    figure = Figure(figsize=(WIDTH, total))
    axes = figure.add_subplot()
    figure.subplots_adjust(
        left=left / WIDTH,
        right=1.0 - right / WIDTH,
        top=1.0 - above / total,
        bottom=(foot + BELOW) / total,
    )
    figure.text(
        MARGIN / WIDTH, MARGIN / total, "\n".join(lines), size=CAPTION_SIZE, va="bottom", ha="left", linespacing=1.3
    )
    return figure, axes


def wrapped(paragraph: str, letters: int) -> list[str]:
    """Lines of at most so many letters; a formula such as "α = 0.1" stays on one."""
    return textwrap.wrap(GLUE.sub("\N{NO-BREAK SPACE}", paragraph), letters)


@dataclass(frozen=True)
class End:
    """The name of a curve, to be written where it ends."""

    text: str
    colour: str
    height: float
    bold: bool = True


def write_ends(axes: Axes, ends: Sequence[End]) -> None:
    """Names to the right of the axes, each as near its curve's end as others allow, joined to it by a thin line.

    The axes' limits and scales must be final.
    """
    bottom, top = axes.bbox.y0, axes.bbox.y1
    apart = APART * axes.figure.dpi / POINTS_TO_AN_INCH
    heights = {end: float(axes.transData.transform((axes.get_xlim()[1], end.height))[1]) for end in ends}
    ordered = sorted(ends, key=lambda end: heights[end])
    for end, place in zip(ordered, spaced([heights[end] for end in ordered], bottom, top, apart), strict=True):
        near, far = ((height - bottom) / (top - bottom) for height in (heights[end], place))
        axes.plot((1.0, 1.025), (near, far), transform=axes.transAxes, color=end.colour, linewidth=0.8, clip_on=False)
        axes.text(
            1.032,
            far,
            end.text,
            transform=axes.transAxes,
            color=end.colour,
            va="center",
            size=9.0 if end.bold else 7.5,
            weight="bold" if end.bold else "normal",
        )


def spaced(heights: Sequence[float], bottom: float, top: float, apart: float) -> list[float]:
    """Ascending heights moved as little as needed, from below, to be `apart`; then from the top if they overflow."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + apart if placed else bottom))
    roof = top
    for index in reversed(range(len(placed))):
        placed[index] = min(placed[index], roof)
        roof = placed[index] - apart
    return placed


def thousands(axes: Axes, *, up: bool = True) -> None:
    """Numbers on the axes as people write them: 10,000; 2.5M."""
    for axis in (axes.xaxis, axes.yaxis) if up else (axes.xaxis,):
        axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def short(value: float) -> str:
    """2500000 as 2.5M, 10000 as 10,000, 0.5 as 0.5."""
    sign = "−" if value < 0 else ""
    size = abs(value)
    if size >= 1e6:
        return f"{sign}{size / 1e6:.4g}M"
    return f"{sign}{size:,.0f}" if size >= 1 or size == 0 else f"{sign}{size:.3g}"
