"""What a world is: who could be asked, how good they are, what they cost, and how their errors hang together."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.lab.parameter import check_order, check_parameters, money, real, whole
from quorate.model.problem import check_bids, check_qualities
from quorate.model.realization import Field, Realization
from quorate.money import MILLIONTHS, Money

MOST_WORKERS = 10**6
Generator = np.random.Generator


@dataclass(frozen=True, eq=False)
class World:
    """Qualities, prices in millionths, and the highest price that a worker of this kind of world may ask.

    Errors are independent here; a world where they are not overrides `realization`.
    """

    qualities: NDArray[np.float64]
    prices: NDArray[np.int64]
    cap: Money
    independent: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_qualities(self.qualities, len(self.prices))
        check_bids(self.prices, self.cap)

    def __len__(self) -> int:
        return len(self.prices)

    def realization(self, seed: int) -> Realization:
        """Who is right on which task: a pure function of the seed."""
        return Field.of(seed, self.qualities)


@dataclass(frozen=True)
class WorldKind(ABC):
    """A distribution over worlds: a frozen value whose fields are its parameters.

    Contract: `draw` is a pure function of the parameters and the seed, the same on every machine; prices are whole
    millionths, never above the world's cap. Register a new kind in `quorate.lab.world.WORLDS`.
    """

    name: ClassVar[str]

    def __post_init__(self) -> None:
        check_parameters(self)

    @abstractmethod
    def draw(self, seed: int) -> World: ...


def units(amount: int) -> Money:
    return amount * MILLIONTHS


@dataclass(frozen=True)
class Priced(WorldKind):
    """What most kinds share: a number of workers, and prices between two ends, which are the lowest and the cap."""

    workers: int = whole(200, lowest=1, highest=MOST_WORKERS)
    lowest_price: int = money(units(10))
    highest_price: int = money(units(20))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_order(self, "lowest_price", "highest_price")

    def uniform_prices(self, draws: Generator, size: int) -> NDArray[np.int64]:
        return uniform_prices(draws, self.lowest_price, self.highest_price, size)


@dataclass(frozen=True)
class Ranged(Priced):
    """Qualities between two ends, too."""

    lowest_quality: float = real(0.6, lowest=0.0, highest=1.0)
    highest_quality: float = real(0.95, lowest=0.0, highest=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_order(self, "lowest_quality", "highest_quality")

    def uniform_qualities(self, draws: Generator, size: int) -> NDArray[np.float64]:
        return draws.uniform(self.lowest_quality, self.highest_quality, size)


def generator(seed: int) -> Generator:
    """numpy's counter-based Philox under the seed as its key: no global state, no entropy from the machine."""
    if not 0 <= seed < 2**64:
        raise InvalidInput(f"seed {seed} is not in [0, 2^64)")
    return np.random.Generator(np.random.Philox(key=seed))


def uniform_prices(draws: Generator, low: Money, high: Money, size: int) -> NDArray[np.int64]:
    """Uniform on the whole millionths from low to high, both ends included."""
    return draws.integers(low, high, size, dtype=np.int64, endpoint=True)
