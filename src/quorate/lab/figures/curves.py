"""Curves with bands, one per policy, their names where they end: figures 2, 3 and 4."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from quorate.lab.figures.bands import Band
from quorate.lab.figures.plot import End, blank, thousands, write_ends
from quorate.lab.figures.style import LOOKS


@dataclass(frozen=True, eq=False)
class Curves:
    """What is drawn: a band per policy along `across`."""

    across: NDArray[np.int64]
    bands: Mapping[str, Band]
    title: str
    across_label: str
    up_label: str

    def table(self, key: str, columns: Mapping[str, Mapping[str, Band]]) -> pl.DataFrame:
        """One row per policy and place; `columns` are bands by prefix of column and policy."""
        return pl.concat(
            pl.DataFrame(
                {
                    "policy": [name] * len(self.across),
                    key: self.across,
                    **{
                        column: values
                        for prefix, bands in columns.items()
                        for column, values in bands[name].columns(prefix).items()
                    },
                }
            )
            for name in self.bands
        )


@dataclass(frozen=True)
class Line:
    """A level to compare with."""

    height: float
    text: str
    colour: str


@dataclass(frozen=True)
class Scale:
    """`across` and `up` are matplotlib's scales; `straight` bounds the linear part of a "symlog" one."""

    across: str = "linear"
    up: str = "linear"
    straight: float = 1.0

    def set(self, axes: Axes) -> None:
        options: dict[str, Any] = {"linthresh": self.straight, "linscale": 0.8} if self.up == "symlog" else {}
        axes.set_xscale(self.across)
        axes.set_yscale(self.up, **options)


def draw_curves(
    curves: Curves, names: Sequence[str], caption: str, scale: Scale, lines: Sequence[Line] = (), markers: bool = False
) -> Figure:
    """A picture of these policies' curves, and the lines to compare them with. `markers`: few places, each marked."""
    figure, axes = blank(caption)
    scale.set(axes)
    for line in lines:
        axes.axhline(line.height, color=line.colour, linewidth=1.0, zorder=1)
    for name in names:
        draw_band(axes, name, curves.across, curves.bands[name], marker="o" if markers else None)
    first, last = int(curves.across[0]), int(curves.across[-1])
    if markers:
        axes.set_xticks(curves.across)
    axes.set_xlim(first if scale.across == "log" else 0, last)
    if scale.up == "linear":
        axes.set_ylim(bottom=0)
    axes.set_title(curves.title)
    axes.set_xlabel(curves.across_label)
    axes.set_ylabel(curves.up_label)
    thousands(axes)
    ends = [End(LOOKS[name].label, LOOKS[name].colour, float(curves.bands[name].mean[-1])) for name in names]
    write_ends(axes, [*ends, *(End(line.text, line.colour, line.height, bold=False) for line in lines)])
    return figure


def draw_band(axes: Axes, name: str, across: NDArray[np.int64], band: Band, *, marker: str | None = None) -> None:
    """The mean as a line, its confidence interval in a strong shade, the middle 80% of the samples in a light one."""
    look = LOOKS[name]
    axes.fill_between(across, band.tenth, band.ninetieth, color=look.colour, alpha=0.13, linewidth=0.0)
    axes.fill_between(across, band.low, band.high, color=look.colour, alpha=0.35, linewidth=0.0)
    axes.plot(across, band.mean, color=look.colour, linestyle=look.dashes, marker=marker, markersize=4.0, clip_on=False)
