"""The few marks and axes that the report draws with. Whatever comes from data is escaped here."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

# Characters of 12 px text per pixel, roughly: for deciding what fits.
CHARACTER = 7.3


def text(x: float, y: float, content: str, css: str = "label", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{css}" text-anchor="{anchor}">{escape(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}"/>'


def dot(x: float, y: float, radius: float, css: str, hint: str = "") -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="{css}">{title(hint)}</circle>'


def path(points: Sequence[tuple[float, float]], css: str) -> str:
    if not points:
        return ""
    return f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}" class="{css}"/>'


def title(hint: str) -> str:
    """What a pointer resting on the mark shows."""
    return f"<title>{escape(hint)}</title>" if hint else ""


def drawing(width: float, height: float, css: str, name: str, parts: Sequence[str], most: float = 0.0) -> str:
    """One SVG; `name` is what a screen reader says; with `most`, it grows to at most so many times its own size."""
    style = f' style="max-width:{width * most:.0f}px"' if most else ""
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" class="{css}"{style} role="img" aria-label="{escape(name)}">'
        f"{''.join(parts)}</svg>"
    )


def shorten(name: str, width: float) -> str:
    """A name cut in the middle to about this many pixels: both ends tell workers apart."""
    room = max(4, int(width / CHARACTER))
    if len(name) <= room:
        return name
    head = (room - 1) // 2
    return f"{name[:head]}\u2026{name[len(name) - (room - 1 - head) :]}"


@dataclass(frozen=True)
class Scale:
    """From data to pixels, linear or logarithmic."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        at = math.log(value) if self.log else value
        share = (at - low) / (high - low) if high > low else 0.5
        return self.start + (self.stop - self.start) * share

    def ticks(self, most: int) -> list[float]:
        """Round values inside the scale, at most about so many."""
        return _log_ticks(self.low, self.high, most) if self.log else _linear_ticks(self.low, self.high, most)


def _step(low: float, high: float, most: int) -> float:
    """A round distance between ticks."""
    raw = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * m for m in (1.0, 2.0, 2.5, 5.0, 10.0) if power * m >= raw * (1.0 - 1e-9))


def round_ends(low: float, high: float, most: int) -> tuple[float, float]:
    """The range widened to ticks, so that no band is left over beyond the last one; low < high.

    A wider range may have ticks further apart, to which it is widened again.
    """
    step = _step(low, high, most)
    ends = round(math.floor(low / step + 1e-9) * step, 12), round(math.ceil(high / step - 1e-9) * step, 12)
    return ends if ends == (low, high) else round_ends(*ends, most)


def percents(ticks: Sequence[float]) -> list[str]:
    """Labels of an axis of shares: whole where all are whole, else with as many decimals as tell them apart."""
    digits = next(d for d in (0, 1, 2, 3) if d == 3 or all(abs(round(t * 100, d) - t * 100) < 1e-9 for t in ticks))
    return [f"{tick * 100:.{digits}f}%" for tick in ticks]


def _linear_ticks(low: float, high: float, most: int) -> list[float]:
    if high <= low:
        return [low]
    step = _step(low, high, most)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        ticks = [f * 10.0**p for p in powers for f in factors if low * 0.999 <= f * 10.0**p <= high * 1.001]
        if len(ticks) <= most:
            break
    return ticks if len(ticks) > 1 else [low, high]
