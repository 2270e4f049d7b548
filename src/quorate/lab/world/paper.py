"""The paper's evaluation (section 6.3)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quorate.lab.parameter import whole
from quorate.lab.world.base import MOST_WORKERS, World, WorldKind, generator, uniform_prices, units

WORST = 2.0 / 3.0


@dataclass(frozen=True)
class Paper(WorldKind):
    """Six in eleven workers cost 20 and have quality 2/3; the others' prices are U[10, 20] and qualities U[2/3, 1].

    At 1100 workers that is the paper's 600 and 500; other sizes keep 6 : 5, to the nearest whole worker. U[10, 20]
    is uniform on the whole millionths, both ends included. The dear group comes first.
    """

    workers: int = whole(1100, lowest=2, highest=MOST_WORKERS)
    name: ClassVar[str] = "paper"

    def draw(self, seed: int) -> World:
        draws = generator(seed)
        dear = (6 * self.workers + 5) // 11
        others = self.workers - dear
        qualities = np.full(self.workers, WORST)
        prices = np.full(self.workers, units(20), dtype=np.int64)
        prices[dear:] = uniform_prices(draws, units(10), units(20), others)
        qualities[dear:] = draws.uniform(WORST, 1.0, others)
        return World(qualities, prices, units(20))
