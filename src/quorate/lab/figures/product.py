"""What a figure's module hands over: pictures with their captions, and the table behind them."""

from dataclasses import dataclass

import polars as pl
from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawing and the caption that is printed in it."""

    stem: str
    figure: Figure
    caption: str


@dataclass(frozen=True, eq=False)
class Product:
    """`table` is the data behind every picture, money in units; `samples` one row per run, money in millionths.

    `findings` are sentences with the numbers measured.
    """

    name: str
    stem: str
    table: pl.DataFrame
    samples: pl.DataFrame
    pictures: tuple[Picture, ...]
    findings: tuple[str, ...]
