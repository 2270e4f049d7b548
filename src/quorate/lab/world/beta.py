"""Beta-distributed qualities."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quorate.lab.parameter import real
from quorate.lab.world.base import Priced, World, generator


@dataclass(frozen=True)
class Beta(Priced):
    """Qualities are `lowest_quality` + (1 - `lowest_quality`) Beta(a, b); prices are uniform, independent of them."""

    a: float = real(2.0, lowest=0.01, highest=1000.0)
    b: float = real(2.0, lowest=0.01, highest=1000.0)
    lowest_quality: float = real(0.5, lowest=0.0, highest=1.0)
    name: ClassVar[str] = "beta"

    def draw(self, seed: int) -> World:
        draws = generator(seed)
        qualities = self.lowest_quality + (1.0 - self.lowest_quality) * draws.beta(self.a, self.b, self.workers)
        return World(np.clip(qualities, 0.0, 1.0), self.uniform_prices(draws, self.workers), self.highest_price)
