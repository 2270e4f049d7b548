"""Each kind draws what it says, and nothing but its parameters and the seed matters."""

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.lab.world import (
    WORLDS,
    Beta,
    CommonFactorWorld,
    Correlated,
    Paper,
    Record,
    RecordedWorld,
    Spammers,
    Stars,
    WorldKind,
)
from quorate.model.realization import Field, Realization
from quorate.money import MILLIONTHS

RECORD = Record(
    ("a", "b"), np.array([[True, True, False, True], [False, True, True, True]]), np.array([3, 5], dtype=np.int64)
)
KINDS: list[WorldKind] = [
    Paper(110),
    Correlated(50),
    Spammers(50),
    Stars(50),
    Beta(50),
    RecordedWorld(RECORD),
    CommonFactorWorld(50),
]


def test_every_registered_kind_is_tested_here() -> None:
    assert {type(kind) for kind in KINDS} == set(WORLDS.values())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_world_is_a_function_of_kind_and_seed(kind: WorldKind) -> None:
    np.random.seed(1)  # noqa: NPY002 - the global generator, which must not matter
    one = kind.draw(7)
    np.random.seed(2)  # noqa: NPY002
    two = kind.draw(7)
    assert np.array_equal(one.qualities, two.qualities)
    assert np.array_equal(one.prices, two.prices)
    assert one.prices.dtype == np.int64
    assert one.cap == two.cap >= int(one.prices.max())
    if not isinstance(kind, RecordedWorld):
        assert not np.array_equal(one.prices, kind.draw(8).prices)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_realization_is_pure_and_in_any_order(kind: WorldKind) -> None:
    world = kind.draw(3)
    realization = world.realization(11)
    assert isinstance(realization, Realization)
    assert realization.workers == len(world)
    everybody = np.arange(len(world))
    table = np.array([realization.right(task, everybody) for task in range(40)])
    again = world.realization(11)
    for task in (39, 0, 17):
        assert np.array_equal(again.right(task, everybody), table[task])
        assert np.array_equal(again.right(task, everybody[::-1]), table[task][::-1])
    other = world.realization(12)
    assert not np.array_equal([other.right(task, everybody) for task in range(40)], table)
    assert len({realization.truth(task) for task in range(40)}) == 2


def test_the_papers_world_at_full_size() -> None:
    world = Paper().draw(0)
    dear = (world.prices == 20 * MILLIONTHS) & (world.qualities == 2 / 3)
    assert int(dear.sum()) == 600
    assert len(world) == 1100
    others = world.prices[600:]
    assert others.min() >= 10 * MILLIONTHS
    assert others.max() <= 20 * MILLIONTHS
    assert world.qualities[600:].min() >= 2 / 3
    assert world.cap == 20 * MILLIONTHS
    assert isinstance(world.realization(0), Field)


@pytest.mark.parametrize(("workers", "dear"), [(110, 60), (550, 300), (1100, 600), (2, 1), (12, 7)])
def test_the_papers_proportions(workers: int, dear: int) -> None:
    world = Paper(workers).draw(0)
    assert int((world.qualities == 2 / 3).sum()) == dear
    assert len(world) == workers


def test_spammers_and_stars_are_as_many_as_said() -> None:
    assert int((Spammers(40, share=0.25).draw(1).qualities == 0.5).sum()) == 10
    assert int((Stars(40, stars=4).draw(1).qualities == 0.97).sum()) == 4


def test_a_record_keeps_its_qualities_and_its_dependence() -> None:
    world = RecordedWorld(RECORD).draw(0)
    assert world.qualities.tolist() == [0.75, 0.75]
    realization = world.realization(5)
    seen = {tuple(realization.right(task, np.arange(2)).tolist()) for task in range(100)}
    assert (False, False) not in seen
    alone = RecordedWorld(RECORD, errors="independent").draw(0).realization(5)
    assert (False, False) in {tuple(alone.right(task, np.arange(2)).tolist()) for task in range(100)}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Paper(1), "workers = 1 is not allowed; give a whole number from 2 to 1000000"),
        (lambda: Correlated(lowest_price=21 * MILLIONTHS), "lowest_price = 21 is above highest_price = 20"),
        (lambda: Correlated(lowest_quality=0.96), "lowest_quality = 0.96 is above highest_quality = 0.95"),
        (lambda: Stars(workers=2), "stars = 3 is above workers = 2"),
        (lambda: RecordedWorld(RECORD, errors="some"), "errors = 'some' is not allowed; give one of"),
        (lambda: Paper().draw(-1), r"seed -1 is not in \[0, 2\^64\)"),
    ],
)
def test_a_wrong_parameter_is_refused(make: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()  # type: ignore[operator]


def test_a_record_is_a_table_of_tasks_that_all_answered() -> None:
    with pytest.raises(InvalidInput, match="at least one task that every worker answered"):
        Record(("a",), np.empty((1, 0), dtype=np.bool_), np.array([1]))
