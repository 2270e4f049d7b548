"""The race behind figures 2 and 3: every number is `play`'s, whatever part of the work it came with."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.lab.execution import workplace
from quorate.lab.figures import compiled
from quorate.lab.figures.compiled import compile_first
from quorate.lab.figures.race import NEVER, Part, Race, run_part, run_race
from quorate.lab.figures.run_table import run_table
from quorate.lab.figures.settings import PAPER_NAMES, Settings
from quorate.lab.seeds import Seeds
from quorate.model.constraint import Constraint
from quorate.model.error import Linear
from quorate.policy import play
from quorate.select.base import SELECTORS

TINY = Settings(samples=3, workers=66, tasks=150, seed=4)


@pytest.fixture(scope="module")
def race() -> Race:
    with workplace(1) as place:
        return run_race(TINY, place, lambda runs: None)


@pytest.mark.parametrize("name", [*PAPER_NAMES, "assured"])
def test_costs_and_counts_are_those_of_play(race: Race, name: str) -> None:
    sample = 1
    seeds = Seeds.of(TINY.seed, sample)
    world = TINY.world.draw(seeds.world)
    entrant = TINY.entrant(name)
    policy = entrant.policy(world, seeds)
    played = play(
        policy, world.realization(seeds.realization), world.prices, seed=seeds.ties, qualities=world.qualities
    )
    place = sample, race.names.index(name)
    assert race.total[place] == played.total
    assert np.array_equal(race.cumulative[place], [played.spend[:task].sum() for task in TINY.grid])
    assert np.array_equal(race.single[place], played.spend[TINY.grid - 1])
    assert race.stop[place] == (NEVER if played.stop is None else played.stop)
    assert race.explored[place] == sum(phase == "explore" for phase in played.phases)
    assert race.model_violations[place] == played.model_violations
    assert race.vote_violations[place] == played.vote_violations


def test_the_optimum_is_greedy_on_the_true_qualities(race: Race) -> None:
    world = TINY.world.draw(Seeds.of(TINY.seed, 2).world)
    keys = np.arange(len(world))
    for found, alpha in ((race.optimum, 0.1), (race.slack_optimum, 0.05)):
        constraint = Constraint.below(Linear(), alpha)
        jury = SELECTORS["greedy"].select(world.prices, world.qualities, constraint, keys, optimistic=False)
        assert found[2] == jury.price
    assert (race.slack_optimum >= race.optimum).all()


def test_parts_are_independent_of_how_the_work_is_cut(race: Race) -> None:
    alone = run_part(Part(TINY, 2, 3))
    assert np.array_equal(alone.cumulative[0], race.cumulative[2])
    assert np.array_equal(alone.stop[0], race.stop[2])


def test_everybody_who_races_sees_the_same_first_task(race: Race) -> None:
    first = race.single[:, : len(PAPER_NAMES), 0]
    assert (first == first[:, :1]).all()


def test_a_crowd_that_cannot_reach_the_target_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"--workers 22: all of them together do not reach accuracy"):
        run_part(Part(Settings(samples=1, workers=22, tasks=10), 0, 1))


def test_the_table_has_one_row_per_run(race: Race) -> None:
    table = run_table(race)
    assert table.height == TINY.samples * len(race.names)
    row = table.row(6, named=True)
    assert (row["sample"], row["policy"]) == (1, race.names[1])
    assert row["total_cost"] == race.total[1, 1]
    assert NEVER not in table["stop"].to_list()


def test_the_grid_starts_with_the_first_task_and_ends_with_the_last() -> None:
    grid = Settings().grid
    assert grid[0] == 1
    assert grid[-1] == 10_000
    assert (np.diff(grid) > 0).all()
    assert 150 <= len(grid) <= 200


@pytest.mark.parametrize(("name", "value"), [("samples", 0), ("workers", 1), ("tasks", 1), ("seed", -1)])
def test_settings_out_of_range_are_refused(name: str, value: int) -> None:
    with pytest.raises(InvalidInput, match=name):
        Settings(**{name: value})


@pytest.mark.parametrize("ready", [["ccb-ns", "assured"], [*PAPER_NAMES, "assured"]])
def test_what_is_not_compiled_yet_is_compiled_once_in_processes_that_end(
    monkeypatch: pytest.MonkeyPatch, ready: list[str]
) -> None:
    submitted: list[str] = []

    class Fresh(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            submitted.append(fn.__self__.name)
            return super().submit(fn, *args, **kwargs)

    monkeypatch.setattr(compiled, "is_ready", lambda policy: policy.name in ready)
    with workplace(1) as here:
        compile_first(TINY, here)
        assert submitted == [], "one process alone compiles as it goes"
        compile_first(TINY, replace(here, fresh=Fresh))
    assert submitted == [name for name in reversed(PAPER_NAMES) if name not in ready]
