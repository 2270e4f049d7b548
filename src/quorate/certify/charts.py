"""The report's pictures, each at a wide and a narrow size: text stays readable on a phone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np

from quorate.certify.dependence import Dependence
from quorate.certify.svg import (
    CHARACTER,
    Scale,
    dot,
    drawing,
    line,
    path,
    percents,
    round_ends,
    shorten,
    text,
    title,
)
from quorate.certify.words import amount, percent, plain_percent
from quorate.model.interval.base import Counts, Floats

WIDE = 760
NARROW = 350
# Half of the widest label of an axis of shares.
EDGE = 24.0
# About so many lines across a picture of accuracies.
LINES = 6


def both(draw: Callable[[float], str]) -> str:
    """The picture for a screen and for a phone; the style sheet shows one of them."""
    return f'<div class="wide">{draw(WIDE)}</div><div class="narrow">{draw(NARROW)}</div>'


@dataclass(frozen=True)
class Spot:
    """A jury in the price/accuracy picture."""

    price: float
    accuracy: float
    name: str
    size: int


def frontier_chart(frontier: Sequence[Spot], singles: Sequence[Spot], chosen: Spot | None, target: float) -> str:
    """Certified accuracy against price per task: the steps that money buys."""

    def draw(width: float) -> str:
        height, left, right, top, bottom = 340.0, 52.0, width - 14.0, 16.0, 296.0
        spots = [*frontier, *singles]
        x = _price_scale([spot.price for spot in spots], left + 12.0, right - 12.0)
        lowest = min([target, *(spot.accuracy for spot in frontier)])
        highest = max([target, *(spot.accuracy for spot in spots)])
        y = _accuracies(lowest, highest, bottom, top)
        parts = _axes(x, y, left, right, bottom, "price per task", width)
        inside = [spot for spot in singles if spot.accuracy >= y.low]
        parts += [dot(x(s.price), y(s.accuracy), 3.0, "other", _hint(s)) for s in inside]
        # The label keeps away from the jury that was chosen, which stands just above the target.
        parts += _target_line(
            y, left, right, target, at_end=chosen is not None and x(chosen.price) < (left + right) / 2
        )
        corners: list[tuple[float, float]] = []
        for spot in frontier:
            if corners:
                corners.append((x(spot.price), corners[-1][1]))
            corners.append((x(spot.price), y(spot.accuracy)))
        if corners:
            corners.append((right, corners[-1][1]))
        parts.append(path(corners, "steps"))
        parts += [dot(x(s.price), y(s.accuracy), 4.5, "step", _hint(s)) for s in frontier]
        if chosen is not None:
            cx, cy = x(chosen.price), y(chosen.accuracy)
            parts.append(dot(cx, cy, 7.5, "chosen", _hint(chosen)))
            room = max(cx - left, right - cx) - 14.0
            label = f"chosen: {chosen.name}"
            if len(label) * CHARACTER > room and chosen.size > 1:
                label = f"chosen: {chosen.size} workers"
            anchor, shift = ("start", 11.0) if right - cx >= cx - left else ("end", -11.0)
            parts.append(text(cx + shift, cy + 18.0, shorten(label, room), "strong", anchor))
        name = "Certified accuracy against price per task"
        return drawing(width, height, "chart", name, parts)

    return both(draw)


def _hint(spot: Spot) -> str:
    return f"{spot.name}: {amount(spot.price)} per task, certified {percent(spot.accuracy)}"


def _price_scale(prices: Sequence[float], start: float, stop: float) -> Scale:
    """Logarithmic where prices are spread widely (and none is free)."""
    low, high = min(prices, default=1.0), max(prices, default=1.0)
    if low > 0 and high / low > 12:
        return Scale(low / 1.1, high * 1.1, start, stop, log=True)
    margin = (high - low) * 0.05 or max(high, 1.0) * 0.5
    return Scale(max(0.0, low - margin), high + margin, start, stop)


def _axes(x: Scale, y: Scale, left: float, right: float, bottom: float, name: str, width: float) -> list[str]:
    parts = []
    ticks = y.ticks(LINES)
    for tick, label in zip(ticks, percents(ticks), strict=True):
        parts.append(line(left, y(tick), right, y(tick), "grid"))
        parts.append(text(left - 6.0, y(tick) + 4.0, label, "tick", "end"))
    for tick in x.ticks(8 if width > 500 else 4):
        parts.append(line(x(tick), bottom, x(tick), bottom + 4.0, "axis"))
        parts.append(text(x(tick), bottom + 18.0, f"{tick:,.10g}", "tick", "middle"))
    parts.append(line(left, bottom, right, bottom, "axis"))
    parts.append(text(right, bottom + 36.0, name, "label", "end"))
    return parts


def _accuracies(lowest: float, highest: float, bottom: float, top: float) -> Scale:
    """A scale of shares from a line below the lowest to one above the highest."""
    low, high = round_ends(lowest - 0.01, min(1.0, highest + 0.005), LINES)
    return Scale(max(0.0, low), min(1.0, high), bottom, top)


def _target_line(y: Scale, left: float, right: float, target: float, *, at_end: bool = False) -> list[str]:
    x, anchor = (right - 4.0, "end") if at_end else (left + 4.0, "start")
    return [
        line(left, y(target), right, y(target), "target"),
        text(x, y(target) - 5.0, f"target {plain_percent(target)}", "targetlabel", anchor),
    ]


@dataclass(frozen=True)
class Quality:
    """A worker's accuracy on the gold tasks it answered, with an interval."""

    name: str
    low: float
    seen: float
    high: float
    tasks: int
    chosen: bool


def quality_chart(workers: Sequence[Quality]) -> str:
    """One row per worker: a dot where it was seen, a bar over what is plausible; on a phone its name stands above."""
    lowest = np.floor(min(worker.low for worker in workers) * 10) / 10

    def draw(width: float) -> str:
        wide = width > 500
        longest = max(len(worker.name) for worker in workers) * CHARACTER
        room = min(longest + 24.0, 260.0) if wide else 0.0
        row, top = 20.0 if wide else 38.0, 26.0
        height = top + row * len(workers) + 8.0
        # On a phone the outer labels of the axis need room for half of themselves: "100.0%".
        x = Scale(lowest, 1.0, room + (6.0 if wide else EDGE), width - (86.0 if wide else EDGE))
        parts = []
        ticks = x.ticks(6 if wide else 4)
        for tick, label in zip(ticks, percents(ticks), strict=True):
            parts.append(line(x(tick), top - 6.0, x(tick), height - 6.0, "grid"))
            parts.append(text(x(tick), top - 11.0, label, "tick", "middle"))
        for i, worker in enumerate(workers):
            y = top + row * (i + (0.5 if wide else 0.75))
            above = 4.0 if wide else -10.0
            css = " mine" if worker.chosen else ""
            number = f"{percent(worker.seen)} of {worker.tasks:,}"
            left, anchor = (room - 4.0, "end") if wide else (0.0, "start")
            label = shorten(worker.name, room - 16.0 if wide else width - len(number) * CHARACTER - 12.0)
            parts.append(text(left, y + above, label, "strong" if worker.chosen else "label", anchor))
            parts.append(line(x(worker.low), y, x(worker.high), y, "interval" + css))
            hint = (
                f"{worker.name}: right on {percent(worker.seen)} of {worker.tasks:,};"
                f" plausible {percent(worker.low)} to {percent(worker.high)}"
            )
            parts.append(dot(x(worker.seen), y, 4.0, "seen" + css, hint))
            parts.append(text(width - 2.0, y + above, number, "tick", "end"))
        return drawing(width, height, "chart", "Accuracy of each worker with its interval", parts)

    return both(draw)


MAP_NAME = "Correlation of errors between workers"
# Up to this many workers each cell of the heat map says whose it is; above, each row does, and one path per shade keeps
# the page small.
CELLS_WITH_HINTS = 24
# Room for a row's number, by which the list under the map names it, and how many rows apart numbers stand.
NUMBER = 24.0
DENSE_NUMBER = 42.0
APART = 10
# The shade of a pair with too few common tasks.
FEW = ("few", 10)


def heat_map(pool: Dependence, order: Counts, names: Sequence[str]) -> str:
    """Error correlations, workers in an order that puts like beside like, rows numbered from 1 in that order.

    A pair with few common tasks has no shade, which would look like knowledge: its cell is struck through.
    """
    n = len(order)
    if n > CELLS_WITH_HINTS:
        side = 620.0
        shades: dict[tuple[str, int], list[str]] = {}
        cell = side / n
        for row, column, shade in _shades(pool, order):
            corner = f"M{DENSE_NUMBER + column * cell:.1f} {row * cell:.1f}"
            square = f"{corner}h{cell:.2f}v{cell:.2f}h-{cell:.2f}z"
            shades.setdefault(shade, []).append(f"{corner}l{cell:.2f} {cell:.2f}" if shade == FEW else square)
        parts = [
            f'<path d="{"".join(squares)}" class="{css}" fill-opacity="{tenths / 10}"/>'
            for (css, tenths), squares in sorted(shades.items())
        ]
        for row, i in enumerate(order.tolist()):
            parts.append(
                f'<rect x="0" y="{row * cell:.1f}" width="{DENSE_NUMBER + side:.0f}" height="{cell:.2f}" class="row">'
                f"{title(f'row {row + 1}: {names[i]}')}</rect>"
            )
            if row == 0 or (row + 1) % APART == 0:
                parts.append(text(DENSE_NUMBER - 4.0, max((row + 0.5) * cell + 4.0, 16.0), str(row + 1), "tick", "end"))
        return drawing(DENSE_NUMBER + side, side, "chart map dense", MAP_NAME, parts)

    def draw(width: float) -> str:
        room = 170.0 if width > 500 else NUMBER
        cell = min(26.0, (min(width, 620.0) - room) / n)
        parts = []
        for row, column, shade in _shades(pool, order):
            i, j = int(order[row]), int(order[column])
            css, tenths = shade
            x, y, side = room + column * cell, row * cell, cell - 1.0
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{side:.1f}" height="{side:.1f}" class="{css}"'
                f' fill-opacity="{tenths / 10}">{title(_pair_hint(pool, i, j, names))}</rect>'
            )
            if shade == FEW:
                parts.append(line(x, y, x + side, y + side, "few"))
        for row, i in enumerate(order.tolist()):
            label = f"{shorten(names[i], room - 6.0 - NUMBER)} {row + 1}" if width > 500 else str(row + 1)
            parts.append(text(room - 6.0, (row + 0.5) * cell + 4.0, label, "label", "end"))
        return drawing(room + cell * n, cell * n, "chart map", MAP_NAME, parts, most=1.0)

    return both(draw)


def _pair_hint(pool: Dependence, i: int, j: int, names: Sequence[str]) -> str:
    if i == j:
        return names[i]
    if pool.few[i, j]:
        value = f"{pool.tasks[i, j]:,.0f} common tasks, too few to tell"
    else:
        value = "cannot be told" if np.isnan(pool.correlation[i, j]) else f"{pool.correlation[i, j]:.2f}"
    return f"{names[i]} and {names[j]}: {value}"


def _shades(pool: Dependence, order: Counts) -> Iterator[tuple[int, int, tuple[str, int]]]:
    """(row, column, (class, opacity in tenths)) of every cell."""
    for row, i in enumerate(order.tolist()):
        for column, j in enumerate(order.tolist()):
            value = float(pool.correlation[i, j])
            if i == j:
                yield row, column, ("self", 10)
            elif pool.few[i, j]:
                yield row, column, FEW
            elif np.isnan(value):
                yield row, column, ("unknown", 10)
            else:
                yield row, column, ("more" if value >= 0 else "less", min(10, round(abs(value) * 10)))


def shade_key() -> str:
    """What the heat map's shades mean."""
    parts = []
    for step in range(-4, 11, 2):
        x = 2.0 + (step + 4) * 19.0
        css = "more" if step >= 0 else "less"
        parts.append(
            f'<rect x="{x:.0f}" y="2" width="37" height="12" class="swatch {css}" fill-opacity="{abs(step) / 10}"/>'
        )
        parts.append(text(x + 18.5, 28.0, f"{step / 10:.1f}".replace("-", "\u2212"), "tick", "middle"))
    return drawing(308.0, 34.0, "key", "Shades from -0.4 to 1", parts)


@dataclass(frozen=True, eq=False)
class Curve:
    """What a size of jury would be certified at, over the number of gold tasks; `ceiling`: as seen."""

    name: str
    accuracy: Floats
    ceiling: float


def gold_chart(totals: Floats, curves: Sequence[Curve], now: int, target: float) -> str:
    """Certified accuracy against gold tasks, log scale; a mark where the data stand today."""

    def draw(width: float) -> str:
        height, left, top, bottom = 320.0, 52.0, 16.0, 276.0
        right = width - (150.0 if width > 500 else 20.0)
        x = Scale(float(totals[0]), float(totals[-1]), left + 6.0, right, log=True)
        values = np.concatenate([curve.accuracy for curve in curves])
        highest = max(target, float(values.max()), *(curve.ceiling for curve in curves))
        lowest = min(target, max(0.3, float(values.min())))
        y = _accuracies(lowest, highest, bottom, top)
        parts = _axes(x, y, left, right, bottom, "gold tasks", width)
        parts.append(line(x(now), top, x(now), bottom, "now"))
        parts.append(text(x(now) + 5.0, bottom - 6.0, f"today: {now:,}", "tick"))
        ends = _apart([y(float(curve.accuracy[-1])) for curve in curves], 15.0)
        for i, (curve, end) in enumerate(zip(curves, ends, strict=True)):
            shown = [(x(float(t)), y(float(a))) for t, a in zip(totals, curve.accuracy, strict=True) if a >= y.low]
            parts.append(path(shown, f"curve series{i % 4}"))
            if width > 500:
                parts.append(text(right + 8.0, end + 4.0, curve.name, f"series{i % 4} name"))
        # Over the curves: the label must stay readable where they cross it.
        parts += _target_line(y, left, right, target)
        return drawing(width, height, "chart", "Certified accuracy against the number of gold tasks", parts)

    names = "".join(f'<span class="series{i % 4}">{escape(c.name)}</span>' for i, c in enumerate(curves))
    return both(draw) + f'<p class="legend narrow">{names}</p>'


def _apart(heights: Sequence[float], gap: float) -> list[float]:
    """Labels pushed apart so that they do not overlap."""
    placed = list(heights)
    order = sorted(range(len(placed)), key=lambda i: placed[i])
    for before, after in pairwise(order):
        placed[after] = max(placed[after], placed[before] + gap)
    return placed
