"""Prices that follow qualities, or run against them."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from quorate.lab.parameter import real
from quorate.lab.world.base import Generator, Ranged, World, generator


@dataclass(frozen=True)
class Correlated(Ranged):
    """Qualities and prices, each uniform on its range, with the given (Pearson) correlation; 0 makes them independent.

    Two normals with correlation 2 sin(pi r / 6), each mapped to a uniform by its distribution function, have
    correlation r. Prices are rounded to the nearest millionth.
    """

    correlation: float = real(0.7, lowest=-1.0, highest=1.0)
    name: ClassVar[str] = "correlated"

    def draw(self, seed: int) -> World:
        shares = uniform_pairs(generator(seed), self.correlation, self.workers)
        spread = self.highest_quality - self.lowest_quality
        qualities = np.minimum(self.lowest_quality + spread * shares[0], self.highest_quality)
        prices = self.lowest_price + np.rint((self.highest_price - self.lowest_price) * shares[1]).astype(np.int64)
        return World(qualities, prices, self.highest_price)


def uniform_pairs(draws: Generator, correlation: float, size: int) -> NDArray[np.float64]:
    """Two rows of uniforms on [0, 1] with the given correlation (a Gaussian copula)."""
    normals = draws.standard_normal((2, size))
    shared = 2.0 * math.sin(math.pi * correlation / 6.0)
    normals[1] = shared * normals[0] + math.sqrt(max(0.0, 1.0 - shared * shared)) * normals[1]
    return np.asarray(ndtr(normals), dtype=np.float64)
