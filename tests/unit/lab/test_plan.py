"""A plan is a pure function of the request, says what it assumes, and its figures are those of whole campaigns."""

from dataclasses import replace

import numpy as np
import pytest

from quorate.errors import InvalidInput, UnknownName
from quorate.lab.comparison import compare
from quorate.lab.plan import PlanRequest, make_plan
from quorate.lab.seeds import Seeds
from quorate.mechanism import PAYMENTS, cheapest_known, play_and_pay
from quorate.model import Problem
from quorate.money import MILLIONTHS
from quorate.policy import Phase, Stopping, assured_policy

SMALL = PlanRequest(
    workers=20,
    target=0.85,
    confidence=0.9,
    horizon=300,
    price_range=(10 * MILLIONTHS, 20 * MILLIONTHS),
    quality_range=(0.75, 0.95),
    pool=12,
    samples=4,
)


def test_the_figures_are_those_of_whole_campaigns() -> None:
    plan = make_plan(SMALL)
    assert [forecast.payment for forecast in plan.forecasts] == ["randomised", "threshold"]
    stopping = {"randomised": Stopping.PRICE_GAP, "threshold": Stopping.HEAD_COUNT}
    for forecast in plan.forecasts:
        assert forecast.truthful
        assert len(forecast.campaigns) == 4
        for sample, campaign in enumerate(forecast.campaigns):
            seeds = Seeds.of(SMALL.seed, sample)
            world = SMALL.world(seeds.world)
            problem = Problem(SMALL.target, SMALL.confidence, SMALL.horizon, world.cap)
            policy = assured_policy(problem, pool=12, stopping=stopping[forecast.payment])
            paid = play_and_pay(
                policy,
                PAYMENTS[forecast.payment],
                world.realization(seeds.realization),
                world.prices,
                seed=seeds.ties,
                coins=seeds.coins,
            )
            assert campaign.paid == paid.settlement.spend
            assert campaign.cheapest == cheapest_known(policy, world.prices, world.qualities)
            assert campaign.cheapest is not None
            assert campaign.cheapest < campaign.true_cost
            assert campaign.true_cost == int(paid.play.counts @ world.prices)
            assert campaign.exploration_tasks == sum(phase is Phase.EXPLORE for phase in paid.play.phases)
            assert campaign.certified == (paid.play.stop is not None)
        assert forecast.mean_paid == pytest.approx(np.mean([one.paid for one in forecast.campaigns]) / MILLIONTHS)
        assert forecast.paid.low <= forecast.paid.median <= forecast.paid.high
        # Nobody is paid less than the work costs.
        assert all(one.paid >= one.true_cost for one in forecast.campaigns)
    means = {forecast.payment: forecast.mean_paid for forecast in plan.forecasts}
    assert plan.compared is not None
    assert plan.compared.first == min(means, key=lambda name: means[name])
    assert plan.compared.mean == pytest.approx(max(means.values()) - min(means.values()))


def test_a_plan_repeats_and_counts_its_campaigns() -> None:
    counted: list[float] = []
    assert make_plan(SMALL, counted.append).forecasts == make_plan(SMALL).forecasts
    assert sum(counted) == 8


def test_which_payment_is_cheaper_is_said_only_where_chance_does_not_explain_it() -> None:
    """By hand: differences 1, 2, 3 have mean 2, standard error 1/sqrt 3, and t(.975, 2) = 4.3027."""
    found = compare("a", [10.0, 20.0, 30.0], "b", [11.0, 22.0, 33.0])
    assert found is not None
    assert found.mean == pytest.approx(2.0)
    assert (found.low, found.high) == pytest.approx((2.0 - 4.3027 / 3**0.5, 2.0 + 4.3027 / 3**0.5), abs=1e-4)
    assert found.cheaper is None
    surely = compare("a", [10.0, 20.0, 30.0, 40.0], "b", [12.0, 22.0, 32.5, 42.0])
    assert surely is not None
    assert surely.cheaper == "a"
    assert replace(surely, low=-3.0, high=-1.0).cheaper == "b"
    assert compare("a", [1.0], "b", [2.0]) is None


def test_the_joint_policys_plan_says_that_it_simulates_independent_errors() -> None:
    """Its promise needs no independence, its forecast of cost does."""
    request = replace(SMALL, policy="assured-joint", pool=7, samples=2)
    (said,) = [line for line in make_plan(request).assumptions if "simulated as independent" in line]
    assert "exploring takes longer, and may never end" in said
    alike = replace(request, correlation=0.9)
    longer = [make_plan(one).forecasts[0].exploration_tasks.median for one in (request, alike)]
    assert longer[1] > longer[0]
    assert any("correlation of 0.9" in line for line in make_plan(alike).assumptions)
    with pytest.raises(InvalidInput, match=r"a correlation of errors of 1\.5 is not in \[0, 1\]"):
        replace(request, correlation=1.5)


def test_without_learning_the_cheapest_at_their_worst_suffice() -> None:
    """The paper's remark in its own setting: 28 workers at quality 2/3 under log-odds, as MATHS 2 has it."""
    request = PlanRequest(
        workers=1100,
        target=0.9,
        confidence=0.9,
        horizon=10,
        prices=np.arange(1100, dtype=np.int64),
        quality_range=(2 / 3, 1.0),
        samples=1,
        pool=2,
        cap=2000,
        payments=("pay-as-bid",),
    )
    found = make_plan(request).without_learning
    assert found is not None
    # ln 5 / (-1/2 ln(8/9)) = 27.3
    assert found.jury == 28
    assert found.total_as_asked.median == pytest.approx(sum(range(28)) * 10 / MILLIONTHS)
    assert found.total_truthful.median == pytest.approx(28 * 28 * 10 / MILLIONTHS)


@pytest.mark.parametrize("worst", [0.5, 0.55])
def test_without_learning_can_be_impossible(worst: float) -> None:
    request = PlanRequest(20, 0.9, 0.9, horizon=5, quality_range=(worst, 0.9), samples=1, payments=("pay-as-bid",))
    assert make_plan(request).without_learning is None


def test_what_cannot_be_promised_is_said() -> None:
    plan = make_plan(PlanRequest(3, 0.95, 0.95, horizon=50, quality_range=(0.5, 0.55), samples=2))
    assert not plan.possible
    assert plan.cheaper is None
    assert {forecast.certified for forecast in plan.forecasts} == {0}
    assert {forecast.paid_per_task_then for forecast in plan.forecasts} == {None}
    assert {forecast.cheapest for forecast in plan.forecasts} == {None}


def test_assumptions_are_in_plain_words() -> None:
    words = " ".join(make_plan(SMALL).assumptions)
    for part in ("20 workers", "from 10 to 20", "0.75 to 0.95", "independent", "12 lowest bidders", "true price"):
        assert part in words
    joint = make_plan(PlanRequest(8, 0.8, 0.8, horizon=50, pool=5, samples=1, policy="assured-joint"))
    assert "the promise does not need that" in " ".join(joint.assumptions)
    assert [forecast.payment for forecast in joint.forecasts] == ["randomised", "threshold"]
    assert all(forecast.cheapest is not None for forecast in joint.forecasts)


def test_truths_for_a_share_of_the_tasks_stretch_exploration() -> None:
    whole, fifth = (make_plan(replace(SMALL, truth_share=share, horizon=8_000)) for share in (1.0, 0.2))
    for all_told, some_told in zip(whole.forecasts, fifth.forecasts, strict=True):
        for one, other in zip(all_told.campaigns, some_told.campaigns, strict=True):
            assert one.certified
            assert other.exploration_tasks == min(5 * one.exploration_tasks, 8_000)
            if other.certified:
                assert other.exploration_paid == 5 * one.exploration_paid
                rest = 8_000 - other.exploration_tasks
                assert other.exploitation_paid == one.exploitation_paid * rest // (8_000 - one.exploration_tasks)
            else:
                assert (other.jury, other.exploitation_paid) == (0, 0)
    assert any(campaign.certified for forecast in fifth.forecasts for campaign in forecast.campaigns)
    assert "the truth of 20% of the tasks" in " ".join(fifth.assumptions)
    assert "5 times as many tasks" in " ".join(fifth.assumptions)


def test_known_prices_are_kept_and_capped() -> None:
    prices = np.array([3, 1, 2], dtype=np.int64)
    request = PlanRequest(3, 0.9, 0.9, prices=prices)
    assert request.world(1).prices.tolist() == [3, 1, 2]
    assert request.world(1).cap == 3
    assert not np.array_equal(request.world(1).qualities, request.world(2).qualities)
    with pytest.raises(InvalidInput, match=r"--cap 0\.000002 is below the highest price there may be, 0\.000003"):
        PlanRequest(3, 0.9, 0.9, prices=prices, cap=2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"workers": 0}, "0 workers are not from 1 to"),
        ({"horizon": 0}, "a horizon of 0 tasks is not possible; give 1 to 10,000,000"),
        ({"samples": 0}, "0 simulated campaigns say nothing"),
        ({"target": 0.4}, "target 0.4 is not above 1/2"),
        ({"quality_range": (0.9, 0.6)}, "lowest_quality = 0.9 is above highest_quality = 0.6"),
        ({"price_range": (2, 1)}, "lowest_price = 0.000002 is above highest_price = 0.000001"),
        ({"prices": np.array([1])}, "1 prices were given for 20 workers"),
        (
            {"prices": np.ones(20, dtype=np.int64), "quality_range": (0.9, 0.6)},
            "the quality range 0.9 to 0.6 is not in order",
        ),
        ({"pool": 0}, "a pool of 0"),
        ({"truth_share": 0.0}, "truth_share 0.0 is not in"),
    ],
)
def test_a_wrong_request_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        PlanRequest(**{"workers": 20, "target": 0.9, "confidence": 0.9, **wrong})  # type: ignore[arg-type]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownName, match="no payment is called 'vcg'"):
        PlanRequest(20, 0.9, 0.9, payments=("vcg",))
    with pytest.raises(UnknownName, match="no plan is made for the policy 'ccb-s'; there are assured, assured-joint"):
        PlanRequest(20, 0.9, 0.9, policy="ccb-s")
