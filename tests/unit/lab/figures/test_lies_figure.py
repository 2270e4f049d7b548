"""The worked example of MATHS 6: with GA a lie pays, with an exact selector and under mode D none does."""

import numpy as np
import polars as pl
import pytest

from quorate.engine import run
from quorate.lab.figures import captions
from quorate.lab.figures.lies import CAP, COST, lies_figure, rules
from quorate.lab.figures.product import Product
from quorate.mechanism.coins import DEFAULT_ONE_IN, resample
from quorate.model.realization import Recorded
from quorate.money import MILLIONTHS


@pytest.fixture(scope="module")
def product() -> Product:
    return lies_figure()


def rows(product: Product, rule: str) -> pl.DataFrame:
    return product.table.filter(pl.col("rule") == rule)


def test_the_bossy_rules_tasks_are_those_worked_by_hand(product: Product) -> None:
    tasks = dict(zip(*(rows(product, "bossy")[name] for name in ("bid", "tasks")), strict=True))
    assert tasks[10.0] == 189
    assert {tasks[bid] for bid in (12.0, 13.0, 14.0)} == {83}
    assert {tasks[bid] for bid in (15.0, 16.0, 17.0)} == {187}


def test_a_lie_pays_under_the_bossy_rule_alone(product: Product) -> None:
    bossy = rows(product, "bossy")
    assert bossy["utility"].to_numpy().max() > 1.2 * bossy["utility_of_truth"][0]
    for rule in ("two-valued", "threshold"):
        found = rows(product, rule)
        assert found["utility"].to_numpy().max() <= found["utility_of_truth"][0] + 1e-6


def test_expected_utility_is_the_mean_over_the_workers_coins(product: Product) -> None:
    """Against mode R as it is drawn: 2000 coins for worker 0, the others' bids left as they are."""
    case = rules()[0].case
    policy, realization, cap, bid = case.build(), Recorded.of(case.rows), CAP * MILLIONTHS, COST * MILLIONTHS
    earned = np.zeros(2000)
    for seed in range(len(earned)):
        coins = resample(seed, [bid], cap)
        # At its own cost a worker earns the bonus alone.
        if coins.y[0] > bid:
            happened = run(policy, realization, case.bidding(int(coins.x[0])), seed=case.seed)
            earned[seed] = happened.counts[0] * DEFAULT_ONE_IN * (CAP - COST)
    spread = np.std(earned, ddof=1) / np.sqrt(len(earned))
    assert np.mean(earned) == pytest.approx(rows(product, "bossy")["utility_of_truth"][0], abs=4 * spread)


def test_the_caption_says_whose_coins_are_averaged(product: Product) -> None:
    (picture,) = product.pictures
    assert f"one bid in {DEFAULT_ONE_IN} resampled" in picture.caption
    assert "worker's own coins" in picture.caption


def test_the_caption_says_what_the_paper_leaves_open(product: Product) -> None:
    (picture,) = product.pictures
    for choice in ("μ = .1", "clipped to [1/2, 1]", captions.TIES, captions.INFEASIBLE, "random keys"):
        assert choice in picture.caption
