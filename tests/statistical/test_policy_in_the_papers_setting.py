"""The paper's simulation setting (section 6.3), one world with a fixed seed: rounds and costs are of the right size.

1100 workers, 10^4 tasks, alpha = .1, slack .05, mu = .1; the ranges are what is aimed at, in units of currency. The
study of `docs/studies.md` has the averages over many worlds.
"""

import pytest

from quorate.lab.world.paper import Paper
from quorate.model import Problem
from quorate.money import MILLIONTHS
from quorate.policy import Play, assured_policy, paper_policy, play

SEED = 1
MILLION = 10**6 * MILLIONTHS
WORLD = Paper().draw(SEED)
WITH_SLACK = Problem(target=0.9, confidence=0.9, horizon=10_000, cap=WORLD.cap, slack=0.05)
WITHOUT = Problem(target=0.9, confidence=0.9, horizon=10_000, cap=WORLD.cap)


def run(name: str, *, judged: bool = True) -> Play:
    policy = assured_policy(WITHOUT) if name == "assured" else paper_policy(name, WITH_SLACK)
    known = WORLD.qualities if judged else None
    return play(policy, WORLD.realization(SEED), WORLD.prices, seed=SEED, qualities=known)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("ccb-s", 16.0, 27.0), ("ccb-se", 5.5, 8.0), ("ccb-ns", 2.5, 2.9), ("assured", 0.3, 0.45)],
)
def test_total_costs_and_no_violation(name: str, least: float, most: float) -> None:
    played = run(name)
    assert least <= played.total / MILLION <= most
    assert played.stop is not None
    # The paper: "none of the four algorithms violated the stochastic constraint with respect to the true qualities".
    assert (played.model_violations, played.vote_violations) == (0, 0)
    assert played.verdicts_right.mean() > 0.9


def test_ccb_s_stops_within_750_to_1300_rounds() -> None:
    played = run("ccb-s", judged=False)
    assert played.stop is not None
    assert 750 <= played.stop <= 1300
    assert (played.counts[played.juries[0]] >= played.stop - 1).all()


def test_epsilon_greedy_never_stops_and_pays_for_it() -> None:
    """Everybody in about 100 (1 + ln(10^4 / 100)) = 560 rounds."""
    played = run("epsilon-greedy", judged=False)
    assert 11.5 <= played.total / MILLION <= 13.5
    assert played.stop is None


def test_assured_stops_early_and_asks_nobody_outside_its_pool() -> None:
    played = run("assured", judged=False)
    assert played.stop is not None
    assert 250 <= played.stop <= 450
    assert (played.counts > 0).sum() == 60
    # About 20.8 a task once it exploits (MATHS 6).
    assert 15 <= played.spend[-1] / MILLIONTHS <= 26
