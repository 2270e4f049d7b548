"""A few who are far better than the rest."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quorate.errors import InvalidInput
from quorate.lab.parameter import real, whole
from quorate.lab.world.base import MOST_WORKERS, Priced, World, generator


@dataclass(frozen=True)
class Stars(Priced):
    """`stars` workers have quality `star_quality`, all others `crowd_quality`; prices are uniform. Stars come first."""

    stars: int = whole(3, lowest=0, highest=MOST_WORKERS)
    star_quality: float = real(0.97, lowest=0.0, highest=1.0)
    crowd_quality: float = real(0.65, lowest=0.0, highest=1.0)
    name: ClassVar[str] = "stars"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stars > self.workers:
            raise InvalidInput(f"stars = {self.stars} is above workers = {self.workers}; a star is one of the workers")

    def draw(self, seed: int) -> World:
        qualities = np.full(self.workers, self.crowd_quality)
        qualities[: self.stars] = self.star_quality
        return World(qualities, self.uniform_prices(generator(seed), self.workers), self.highest_price)
