"""Traces worked out by hand, to be read beside the paper's algorithms.

Paper's policies: three workers, constraint sum(2q - 1) >= .2, no slack, mu = .1, so after m answers the radius is
r(m) = sqrt(ln(2 * 3 / .1) / (2m)) = sqrt(2.0472 / m).

    worker  price  right
    A       3      always
    B       1      on tasks 1, 3, 5, ...
    C       9      never

- A alone is certain once 2 (1 - r) - 1 >= .2, that is r <= .4: r(12) = .4130, r(13) = .3968, so after 13 answers.
- B alone may be enough while 2 (k/m + r) - 1 >= .2. For even m, k/m = 1/2 and that means r >= .1: r(204) = .10018,
  r(206) = .09969. For odd m, k/m is a little above 1/2: at 205 it is .50244 + .09993 = .6024 >= .6. So until 205.
- C has lost all hope early: r(9) = .4769 < .5, so q+ is clipped to 1/2 and C brings nothing.
"""

from fractions import Fraction

import numpy as np
import pytest

from quorate.model import Constraint, Problem
from quorate.model.error import LogOdds
from quorate.model.interval import AnytimeInterval, HoeffdingInterval
from quorate.model.realization import Recorded
from quorate.policy import PAPER_POLICIES, Assured, Phase, Play, Stopping, play
from quorate.select.base import SELECTORS

A, B, C = 0, 1, 2
TASKS = 300


def runs(played: Play) -> list[tuple[str, tuple[int, ...], int]]:
    """The run as (phase, jury, for how many tasks), equal neighbours taken together."""
    found: list[tuple[str, tuple[int, ...], int]] = []
    for phase, jury in zip(played.phases, played.juries, strict=True):
        step = phase.value, tuple(jury.tolist())
        if found and found[-1][:2] == step:
            found[-1] = (*step, found[-1][2] + 1)
        else:
            found.append((*step, 1))
    return found


def paper_run(name: str, selector: str = "greedy") -> Play:
    odd = [task % 2 == 0 for task in range(TASKS)]
    rows = [[True] * TASKS, odd, [False] * TASKS]
    problem = Problem(target=0.9, confidence=0.9, horizon=TASKS, cap=10)
    enough = Constraint.reaching(0.2)
    policy = PAPER_POLICIES[name](problem, enough, enough, SELECTORS[selector], HoeffdingInterval())
    return play(policy, Recorded.of(rows), [3, 1, 9])


@pytest.mark.parametrize("selector", ["greedy", "exact"])
def test_ccb_s(selector: str) -> None:
    """Algorithm 2: the optimistic jury is {B} until 205 and never certain; after 206 truths it is {A}, and certain."""
    played = paper_run("ccb-s", selector)
    assert runs(played) == [("explore", (A, B, C), 206), ("exploit", (A,), 94)]
    assert played.stop == 207
    assert played.counts.tolist() == [300, 206, 206]
    assert played.total == 206 * 13 + 94 * 3


@pytest.mark.parametrize("selector", ["greedy", "exact"])
def test_ccb_ns(selector: str) -> None:
    """Algorithm 1: MINIMAL adds to {B} the highest q- first. Until A is certain that never suffices, so everybody is
    asked; from then on {A, B} meets the target, and C is spared.
    """
    played = paper_run("ccb-ns", selector)
    assert runs(played) == [("explore", (A, B, C), 13), ("explore", (A, B), 193), ("exploit", (A,), 94)]
    assert played.stop == 207
    assert played.total == 13 * 13 + 193 * 4 + 94 * 3


@pytest.mark.parametrize("selector", ["greedy", "exact"])
def test_ccb_se(selector: str) -> None:
    """Elimination: GA on pessimistic values first succeeds after 13 truths, with {A}: prefix {A}, last position k = 1,
    price_k / value_k- = 3 / .2064 = 14.5. C: price 9 / 0 is infinite, and 9 >= 3, so C goes. B: 1 < 3, so B stays.
    """
    played = paper_run("ccb-se", selector)
    assert runs(played) == [("explore", (A, B, C), 13), ("explore", (A, B), 193), ("exploit", (A,), 94)]
    assert played.final.alive.tolist() == [True, True, False]
    assert played.stop == 207


def test_epsilon_greedy() -> None:
    """Everybody for t <= 100; then the coin of round t, u < 100/t, says when. Otherwise {A}: estimates are 1 for A,
    about 1/2 for B (after 101 truths 51/101, so 2q - 1 = .0099 < .2) and 1/2 for C after clipping.

    The first rounds after the hundredth without exploration are 111, 121, 126, 131, 137 (coins of seed 0).
    """
    played = paper_run("epsilon-greedy")
    assert runs(played)[:9] == [
        ("explore", (A, B, C), 110),
        ("exploit", (A,), 1),
        ("explore", (A, B, C), 9),
        ("exploit", (A,), 1),
        ("explore", (A, B, C), 4),
        ("exploit", (A,), 1),
        ("explore", (A, B, C), 4),
        ("exploit", (A,), 1),
        ("explore", (A, B, C), 5),
    ]
    assert {jury for _, jury, _ in runs(played)} == {(A, B, C), (A,)}
    assert played.phases.count(Phase.EXPLORE) == 100 + 114
    assert played.stop is None


def test_nobody_is_cheap_enough_to_be_hoped_for() -> None:
    """An infeasible optimistic problem: ask everybody, and keep exploring (MATHS 5)."""
    problem = Problem(target=0.9, confidence=0.9, horizon=20, cap=10)
    out_of_reach = Constraint.reaching(3.5)
    for name in PAPER_POLICIES:
        policy = PAPER_POLICIES[name](problem, out_of_reach, out_of_reach, SELECTORS["greedy"], HoeffdingInterval())
        played = play(policy, Recorded.of(np.ones((3, 20), dtype=int)), [3, 1, 9])
        assert runs(played) == [("explore", (A, B, C), 20)]


# Assured: alpha = .3, so a jury must bring sum of -1/2 ln(4q(1-q)) > ln(1/.6) = .5108. One worker brings that from
# q = .9 on (1/2 * 2 sqrt(.9 * .1) = .3), two equal ones from q = .8162 on. A worker who is right m times of m has the
# lower end (d C(2m, m) / 4^m)^(1/m), with d = mu / pool.


def assured_run(
    rows: list[list[bool]], prices: list[int], *, pool: int, kappa: Fraction, stopping: Stopping = Stopping.PRICE_GAP
) -> Play:
    problem = Problem(target=0.7, confidence=0.9, horizon=100, cap=10)
    enough = Constraint.below(LogOdds(), problem.alpha)
    policy = Assured(
        problem, enough, enough, SELECTORS["exact"], AnytimeInterval(), pool=pool, kappa=kappa, stopping=stopping
    )
    return play(policy, Recorded.of(rows), prices)


ALWAYS, NEVER = [True] * 100, [False] * 100
AFTER_THE_FIRST = [False] + [True] * 99


def test_assured_stops_as_soon_as_certainty_and_hope_agree() -> None:
    """A always right, B never: W = {A} from early on, and V = {A} once A's lower end passes .9.

    With d = .1 / 2 it is .89883 after 52 answers and .90048 after 53. Then price(V) = price(W): even kappa = 0 stops.
    """
    played = assured_run([ALWAYS, NEVER], [3, 2], pool=2, kappa=Fraction(0))
    assert runs(played) == [("explore", (A, B), 53), ("exploit", (A,), 47)]
    assert played.stop == 54


def test_assured_stops_once_the_gap_is_allowed_and_drops_the_dominated() -> None:
    """B erred once, on the first task, so B stays hopeful (q+ = .983) and not certain for long: W = {B} for 2, while V
    is {A, B} for 5 and then {A} for 3.

    - C (never right, price 9) brings nothing even optimistically. With d = .1 / 3 A and B together bring .5007 after
      34 answers and .5193 after 35: then those two, both cheaper, reach the requirement without C, and C goes.
    - A alone is certain after 57 (.90013 > .9): V = {A}, and the gap is 3 - 2 = 1.
    - g_t = kappa t m cap / (T - t) = t * 3 * 10 / (50 (100 - t)) is 0.98 at t = 62 and 1.02 at t = 63: so 63.
    - B alone is not certain yet (lower end .8668 after 63), so V is still {A}.
    """
    played = assured_run([ALWAYS, AFTER_THE_FIRST, NEVER], [3, 2, 9], pool=3, kappa=Fraction(1, 50))
    assert runs(played) == [("explore", (A, B, C), 35), ("explore", (A, B), 28), ("exploit", (A,), 37)]
    assert played.stop == 64
    assert played.final.alive.tolist() == [True, True, False]


def test_assured_counting_heads_looks_at_no_bid_of_the_pool() -> None:
    """A and B always right, C with bid 5 outside the pool of two: th = 5.

    - v = 2 heads from 26 answers on (.81867 > .8162), 1 from 53 on; w = 1 at once (q+ = 1).
    - g_t = t * 2 * 10 / (4 (100 - t)) reaches th (v - w) = 5 at t = 50 exactly.
    - V is then {A, B}: neither alone is certain before 53. C is never asked.
    """
    for prices in ([3, 2, 5], [0, 5, 5], [5, 0, 5]):
        played = assured_run(
            [ALWAYS, ALWAYS, ALWAYS], prices, pool=2, kappa=Fraction(1, 4), stopping=Stopping.HEAD_COUNT
        )
        pool = tuple(played.juries[0].tolist())
        assert len(pool) == 2
        assert runs(played) == [("explore", pool, 50), ("exploit", pool, 50)]
        assert played.stop == 51


def test_assured_with_nobody_outside_the_pool_counts_a_head_at_the_cap() -> None:
    """th = cap = 10: t * 20 / (4 (100 - t)) >= 10 from t = 67 on, but at 53 one head is certain, and the gap is 0."""
    played = assured_run([ALWAYS, ALWAYS], [3, 2], pool=2, kappa=Fraction(1, 4), stopping=Stopping.HEAD_COUNT)
    assert runs(played) == [("explore", (A, B), 53), ("exploit", (B,), 47)]


def test_assured_weighs_the_vote_from_when_the_jury_is_certain() -> None:
    """Plain majority while the jury's own bound says nothing yet, log-odds of the lower ends afterwards."""
    problem = Problem(target=0.7, confidence=0.9, horizon=100, cap=10)
    enough = Constraint.below(LogOdds(), problem.alpha)
    policy = Assured(problem, enough, enough, SELECTORS["exact"], AnytimeInterval(), pool=2)
    state = policy.start([3, 2], seed=0)
    for _ in range(26):
        assert policy.ask(state).weights is None
        state = policy.tell(state, np.array([A, B]), np.array([True, True]))
    weights = policy.ask(state).weights
    assert weights is not None
    assert weights.tolist() == pytest.approx([np.log(0.81867 / 0.18133) * 1e9] * 2, rel=1e-4)
