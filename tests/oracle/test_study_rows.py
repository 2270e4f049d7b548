"""A study's rows against plain runs: every sum done again task by task, and regret against every jury there is."""

from itertools import combinations

import numpy as np
import pytest

from quorate.lab.cell import sample_row
from quorate.lab.policies import POLICY_KINDS, AssuredJointPolicy, AssuredPolicy, PolicyKind
from quorate.lab.seeds import Seeds
from quorate.lab.study import Cell, Promise
from quorate.lab.world import Beta, CommonFactorWorld, Spammers, Stars, WorldKind
from quorate.mechanism import PAYMENTS, pair, play_and_pay
from quorate.policy import Phase, play

WORLDS: tuple[WorldKind, ...] = (
    Beta(10, a=6.0, b=1.5),
    Spammers(10, lowest_quality=0.8),
    Stars(10, stars=2),
    CommonFactorWorld(10, lowest_quality=0.8),
)
POLICIES: tuple[PolicyKind, ...] = (
    *(POLICY_KINDS[name]() for name in ("ccb-ns", "ccb-s", "ccb-se", "epsilon-greedy")),
    AssuredPolicy(pool=8),
    AssuredPolicy(pool=8, stopping="head-count"),
    AssuredJointPolicy(pool=7, max_size=3),
    AssuredJointPolicy(pool=7, max_size=3, stopping="head-count"),
)
PROMISE = Promise(target=0.85, horizon=160)
CASES = [(world, policy) for world in WORLDS for policy in POLICIES]


def _cell(world: WorldKind, policy: PolicyKind) -> Cell:
    return Cell(0, world, PROMISE, policy, tuple(PAYMENTS), seed=4, first=0, last=2)


@pytest.mark.parametrize(("kind", "named"), CASES, ids=lambda value: value.name)
def test_a_row_is_the_plain_run_added_up(kind: WorldKind, named: PolicyKind) -> None:
    row = sample_row(_cell(kind, named), 1)
    seeds = Seeds.of(4, 1)
    world = kind.draw(seeds.world)
    policy = named.build(PROMISE.problem(world.cap), seeds.coins)
    realization = world.realization(seeds.realization)
    played = play(policy, realization, world.prices, seed=seeds.ties, qualities=world.qualities)
    costs = [int(world.prices[jury].sum()) for jury in played.juries]
    exploring = [phase is Phase.EXPLORE for phase in played.phases]
    then = [cost for cost, yes in zip(costs, exploring, strict=True) if not yes]
    assert row["total_cost"] == sum(costs)
    assert row["exploration_tasks"] == sum(exploring)
    assert row["exploration_cost"] == sum(costs) - sum(then)
    assert row["exploitation_cost_per_task"] == (sum(then) / len(then) if then else None)
    assert row["stop"] == played.stop
    assert row["jury_size"] == len(played.juries[-1])
    assert row["model_violations"] == played.model_violations
    assert row["vote_violations"] == (played.vote_violations if world.independent else None)
    assert row["vote_violations_then"] == (played.vote_violations_then if world.independent else None)
    wrong = sum(not right and not yes for right, yes in zip(played.verdicts_right, exploring, strict=True))
    assert row["wrong_verdicts"] == (None if world.independent else wrong)
    for name, payment in PAYMENTS.items():
        assert row[f"payment.{name}.truthful"] == pair(policy, payment).truthful
        paid = play_and_pay(policy, payment, realization, world.prices, seed=seeds.ties, coins=seeds.coins)
        assert row[f"payment.{name}"] == paid.settlement.spend
        work = sum(payout.tasks * int(world.prices[payout.worker]) for payout in paid.settlement.payouts)
        assert row[f"payment.{name}.cost"] == work <= row[f"payment.{name}"]


@pytest.mark.parametrize("named", POLICIES, ids=lambda value: value.name)
@pytest.mark.parametrize("kind", WORLDS, ids=lambda value: value.name)
def test_regret_is_against_the_cheapest_jury_there_is(kind: WorldKind, named: PolicyKind) -> None:
    row = sample_row(_cell(kind, named), 0)
    world = kind.draw(Seeds.of(4, 0).world)
    constraint = named.build(PROMISE.problem(world.cap), 0).pessimistic
    if not constraint.additive:
        assert row["exact_cost_per_task"] is None
        assert row["regret_exact"] is None
        return
    juries = (np.array(jury) for size in range(1, 11) for jury in combinations(range(10), size))
    prices = [int(world.prices[jury].sum()) for jury in juries if constraint.meets(world.qualities[jury])]
    assert row["exact_cost_per_task"] == min(prices, default=None)
    if not prices:
        assert row["greedy_cost_per_task"] is None
        assert row["regret_greedy"] is None
        return
    assert min(prices) <= row["greedy_cost_per_task"] <= 2 * min(prices)
    assert row["regret_exact"] == row["total_cost"] - PROMISE.horizon * min(prices)
    assert row["regret_greedy"] == row["total_cost"] - PROMISE.horizon * row["greedy_cost_per_task"]


def test_the_cases_cover_both_ends() -> None:
    """A control: some samples stop and some never do, and some worlds have no jury under some models."""
    rows = [sample_row(_cell(world, policy), 0) for world, policy in CASES]
    assert {row["stop"] is None for row in rows} == {True, False}
    assert {row["exact_cost_per_task"] is None for row in rows if row["policy"] != "assured-joint"} == {True, False}
