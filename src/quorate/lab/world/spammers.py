"""Workers who answer without looking."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quorate.lab.parameter import real
from quorate.lab.world.base import Ranged, World, generator


@dataclass(frozen=True)
class Spammers(Ranged):
    """A share of the workers has quality `spam_quality` and asks the lowest price; the others are uniform in both.

    The share is rounded to the nearest whole worker; spammers come first. Below 1/2 a spammer is worse than a coin.
    """

    share: float = real(0.3, lowest=0.0, highest=1.0)
    spam_quality: float = real(0.5, lowest=0.0, highest=1.0)
    name: ClassVar[str] = "spammers"

    def draw(self, seed: int) -> World:
        draws = generator(seed)
        spammers = round(self.share * self.workers)
        others = self.workers - spammers
        qualities = np.full(self.workers, self.spam_quality)
        qualities[spammers:] = self.uniform_qualities(draws, others)
        prices = np.full(self.workers, self.lowest_price, dtype=np.int64)
        prices[spammers:] = self.uniform_prices(draws, others)
        return World(qualities, prices, self.highest_price)
