"""The paper's four policies and `assured` on the same workers and the same answers (paper, section 6.3; figures 2 and
3).

Of a run only its cost at some two hundred task numbers is kept: 1000 samples of five policies take 16 MB.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.lab.execution import Workplace
from quorate.lab.figures.compiled import compile_first
from quorate.lab.figures.settings import SLACK, TARGET, Settings
from quorate.lab.figures.spread import spread
from quorate.lab.seeds import Seeds
from quorate.lab.world import World
from quorate.model.constraint import Constraint
from quorate.model.error import Linear
from quorate.model.philox import tie_keys
from quorate.model.problem import complement
from quorate.select.base import SELECTORS

# Samples to a part: short enough for a smooth bar, long enough that handing it over costs nothing.
CHUNK = 5
NEVER = -1


@dataclass(frozen=True, eq=False)
class Race:
    """Axes: sample, policy, task number. Money in millionths.

    `cumulative` is what the tasks up to a number have cost, `single` what that task alone cost. `optimum` is the price
    per task of GA's jury on the true qualities at 1 - alpha, which regret is measured against; `slack_optimum` the
    same at 1 - alpha + xi. `stop` is the first exploitation task, NEVER where there is none.
    """

    settings: Settings
    cumulative: NDArray[np.int64]
    single: NDArray[np.int64]
    optimum: NDArray[np.int64]
    slack_optimum: NDArray[np.int64]
    stop: NDArray[np.int64]
    explored: NDArray[np.int64]
    jury_size: NDArray[np.int64]
    model_violations: NDArray[np.int64]
    vote_violations: NDArray[np.int64]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entrant.name for entrant in self.settings.entrants)

    @property
    def total(self) -> NDArray[np.int64]:
        """What the whole run cost, by sample and policy."""
        return self.cumulative[:, :, -1]


@dataclass(frozen=True)
class Part:
    settings: Settings
    first: int
    last: int


def run_race(settings: Settings, place: Workplace, advance: Callable[[float], None]) -> Race:
    """Every sample of every policy; the same numbers wherever and in whatever order the parts run."""
    compile_first(settings, place)
    race = _empty(settings, settings.samples)
    starts = range(0, settings.samples, CHUNK)
    parts = [Part(settings, first, min(first + CHUNK, settings.samples)) for first in starts]
    for part, done in zip(parts, spread(place, run_part, parts), strict=True):
        for name, values in _arrays(race).items():
            values[part.first : part.last] = getattr(done, name)
        advance((part.last - part.first) * len(race.names))
    return race


def run_part(part: Part) -> Race:
    """A few samples of the race: a pure function of its part."""
    settings = part.settings
    race = _empty(settings, part.last - part.first)
    for row, sample in enumerate(range(part.first, part.last)):
        seeds = Seeds.of(settings.seed, sample)
        world = settings.world.draw(seeds.world)
        race.optimum[row] = optimum(world, TARGET, seeds)
        race.slack_optimum[row] = optimum(world, TARGET + SLACK, seeds)
        _run_sample(race, row, world, seeds)
    return race


def optimum(world: World, target: float, seeds: Seeds) -> int:
    """What GA's jury costs with the qualities known, under the paper's constraint sum(2q - 1) >= 6 ln(1/alpha)."""
    constraint = Constraint.below(Linear(), complement(target))
    keys = tie_keys(seeds.ties, len(world))
    best = SELECTORS["greedy"].select(world.prices, world.qualities, constraint, keys, optimistic=False)
    if not best.feasible:
        raise InvalidInput(
            f"--workers {len(world)}: all of them together do not reach accuracy {target:g} under the paper's "
            "bound, so there is no optimum to measure regret against; give 66 or more"
        )
    return best.price


def _run_sample(race: Race, row: int, world: World, seeds: Seeds) -> None:
    at = race.settings.grid - 1
    for column, entrant in enumerate(race.settings.entrants):
        happened = entrant.run(world, seeds)
        model, vote = happened.model_violations, happened.vote_violations
        # They are, because the true qualities were given.
        assert model is not None
        assert vote is not None
        place = row, column
        race.cumulative[place] = np.cumsum(happened.spend)[at]
        race.single[place] = happened.spend[at]
        race.stop[place] = NEVER if happened.stop is None else happened.stop
        race.explored[place] = happened.explored
        race.jury_size[place] = len(happened.jury)
        race.model_violations[place] = model
        race.vote_violations[place] = vote


def _arrays(race: Race) -> dict[str, NDArray[np.int64]]:
    return {name: value for name, value in vars(race).items() if isinstance(value, np.ndarray)}


def _empty(settings: Settings, samples: int) -> Race:
    policies = len(settings.entrants)
    curves, runs, worlds = (samples, policies, len(settings.grid)), (samples, policies), (samples,)
    shapes = (curves, curves, worlds, worlds, runs, runs, runs, runs, runs)
    return Race(settings, *(np.zeros(shape, dtype=np.int64) for shape in shapes))
