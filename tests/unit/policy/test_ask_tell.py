"""What policies refuse, and what they say of themselves; the contract suite does the rest."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from quorate.errors import InvalidInput, NotTwoValued, UnknownName
from quorate.model import Constraint, Problem
from quorate.model.error import ErrorModel, Likelihood, Linear, LogOdds, Majority, Margin
from quorate.model.interval import AnytimeInterval, HoeffdingInterval
from quorate.policy import (
    CCBS,
    PAPER_POLICIES,
    Assured,
    AssuredJoint,
    EpsilonGreedy,
    Phase,
    Policy,
    Stopping,
    assured_policy,
    paper_policy,
)
from quorate.policy.assured import fewest
from quorate.policy.base import State
from quorate.policy.ccb_ns import minimal
from quorate.policy.epsilon_greedy import explores
from quorate.policy.pool import allowance, lowest_bidders, outside_bid
from quorate.select.base import SELECTORS

PROBLEM = Problem(target=0.9, confidence=0.9, horizon=100, cap=10)


@pytest.mark.parametrize("name", PAPER_POLICIES)
def test_paper_mode_has_the_papers_choices(name: str) -> None:
    policy = paper_policy(name, replace(PROBLEM, slack=0.05))
    assert policy.pessimistic == Constraint.below(Linear(1 / 6), 0.1)
    assert policy.optimistic == Constraint.below(Linear(1 / 6), 0.05)
    assert policy.selector.name == "greedy"
    assert policy.interval.name == "hoeffding"
    assert policy.floor == 0.5
    assert policy.level(policy.start([1] * 20, 0)) == 0.1 / 20


def test_assured_has_its_own() -> None:
    policy = assured_policy(PROBLEM)
    assert (policy.pool, policy.kappa, policy.stopping) == (60, Fraction(1, 4), Stopping.PRICE_GAP)
    assert (policy.selector.name, policy.interval.name) == ("exact", "anytime")
    assert policy.pessimistic == policy.optimistic == Constraint.below(LogOdds(), 0.1)
    assert assured_policy(PROBLEM, model=Linear()).floor == 0.5 + 1 / 6
    assert policy.level(policy.start([1] * 20, 0)) == 0.1 / 20
    assert policy.level(policy.start([1] * 200, 0)) == 0.1 / 60


@pytest.mark.parametrize("make", [assured_policy, AssuredJoint])
def test_a_stopping_rule_may_come_as_a_word(make: Any) -> None:
    """Compared as a word it would be neither rule, and another one would run."""
    assert make(PROBLEM, stopping="price-gap").stopping is Stopping.PRICE_GAP
    assert make(PROBLEM, stopping="head-count").stopping is Stopping.HEAD_COUNT
    with pytest.raises(UnknownName, match="no stopping rule is called 'soon'; there are price-gap, head-count"):
        make(PROBLEM, stopping="soon")


@pytest.mark.parametrize("model", [Margin(), Likelihood()])
def test_assured_takes_no_model_that_promises_nothing(model: ErrorModel) -> None:
    with pytest.raises(InvalidInput, match=f"'{model.name}' does not bound how often a verdict is wrong"):
        assured_policy(PROBLEM, model=model)


@pytest.mark.parametrize("size", [2, 0, 1.5, True, None])
def test_a_joint_jury_is_odd(size: Any) -> None:
    with pytest.raises(InvalidInput, match="is not odd and positive"):
        AssuredJoint(PROBLEM, max_size=size)


@pytest.mark.parametrize("text", ["", "nonsense", "{}", "[]", '{"ask": {}, "family": null}'])
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="not a policy's state as to_json"):
        State.from_json(text)


def test_a_state_that_lost_a_worker_is_refused() -> None:
    state = assured_policy(PROBLEM).start([1, 2, 3], 0)
    with pytest.raises(InvalidInput, match="lacks something of some worker"):
        State.from_json(replace(state, asked=state.asked[:2]).to_json())


def test_who_may_call_itself_truthful() -> None:
    """Only what MATHS 6 proves: assured, and CCB-S with a two-valued selector; GA is monotone but bossy."""
    assert assured_policy(PROBLEM).truthful
    assert not paper_policy("ccb-s", PROBLEM).truthful
    assert paper_policy("ccb-s", PROBLEM, selector=SELECTORS["exact"]).truthful
    for name in ("ccb-ns", "ccb-se", "epsilon-greedy"):
        assert not paper_policy(name, PROBLEM, selector=SELECTORS["exact"]).truthful


def test_an_unknown_policy_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UnknownName, match="'ucb'; there are ccb-ns, ccb-s, ccb-se, epsilon-greedy"):
        paper_policy("ucb", PROBLEM)


def assured(**changes: Any) -> Assured:
    enough = Constraint.below(LogOdds(), 0.1)
    taken: dict[str, Any] = {"pessimistic": enough, "optimistic": enough, "selector": SELECTORS["exact"], **changes}
    return Assured(PROBLEM, interval=AnytimeInterval(), **taken)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"selector": SELECTORS["greedy"]}, NotTwoValued, "'greedy' is not two-valued.*use 'exact'"),
        (
            {"pessimistic": Constraint.below(Majority(), 0.1)},
            InvalidInput,
            "'majority' is not additive.*use 'log-odds'",
        ),
        ({"pool": 0}, InvalidInput, "a pool of 0 is not a whole number.*take at least 1"),
        ({"pool": 2.5}, InvalidInput, r"a pool of 2.5 is not a whole number \(an int\)"),
        ({"kappa": math.nan}, InvalidInput, r"kappa nan is not exact.*try Fraction\(1, 4\)"),
        ({"kappa": 0.3}, InvalidInput, "kappa 0.3 is not exact"),
        ({"kappa": Fraction(-1, 4)}, InvalidInput, "kappa -1/4 is negative.*take 0 or more"),
    ],
)
def test_an_assured_that_could_not_keep_its_word_is_refused(changes: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        assured(**changes)


@pytest.mark.parametrize(
    ("jury", "right", "message"),
    [
        ([0, 1], [True], "1 outcomes were told for a jury of 2; tell one per member"),
        ([], [], "a jury of nobody was told, which teaches nothing"),
        ([0], [2], "outcomes of type int64 were told; tell True for who was right"),
        ([-1], [True], "not a sorted list of different workers from 0 to 2; tell the jury that was asked"),
        ([3], [True], "not a sorted list of different workers from 0 to 2"),
        ([1, 1], [True, True], "not a sorted list of different workers"),
        ([1, 0], [True, True], "not a sorted list of different workers"),
    ],
)
@pytest.mark.parametrize("name", [*PAPER_POLICIES, "assured"])
def test_outcomes_that_cannot_be_are_refused(name: str, jury: list[int], right: list[Any], message: str) -> None:
    policy = assured_policy(PROBLEM) if name == "assured" else paper_policy(name, PROBLEM)
    state = policy.start([3, 1, 2], seed=0)
    with pytest.raises(InvalidInput, match=message):
        policy.tell(state, np.array(jury), np.array(right))


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_bad_seed_is_refused(seed: int) -> None:
    with pytest.raises(InvalidInput, match="not a whole number in"):
        paper_policy("ccb-s", PROBLEM).start([1, 2], seed)
    with pytest.raises(InvalidInput, match="not a whole number in"):
        replace(paper_policy("epsilon-greedy", PROBLEM), coin_seed=seed)


@pytest.mark.parametrize("late_answer", [True, False])
def test_late_truths_about_an_eliminated_worker_leave_its_interval_alone(late_answer: bool) -> None:
    """MATHS 6, repair 3: eliminated workers keep their frozen values. A is always right, B but for the first, C half
    of the time.
    """
    policy = assured_policy(Problem(target=0.7, confidence=0.9, horizon=1000, cap=10), kappa=Fraction(0))
    state = policy.tell(policy.start([3, 2, 9], seed=0), np.arange(3), np.array([True, False, False]))
    while state.alive[2] and state.round < 100:
        state = policy.tell(state, np.arange(3), np.array([True, True, state.round % 2 == 0]))
    assert state.alive.tolist() == [True, True, False]
    assert state.stop is None
    late = state
    for _ in range(300):
        late = policy.tell(late, np.array([2]), np.array([late_answer]))
    assert late.asked[2] == state.asked[2] + 300
    assert (late.lower[2], late.upper[2]) == (state.lower[2], state.upper[2])
    assert late.alive.tolist() == [True, True, False]
    # Negative control: those answers would have moved the interval.
    low, high = policy.interval.bounds(late.right[2:], late.asked[2:], policy.level(late), 0.5)
    assert (low[0] > state.lower[2]) if late_answer else (high[0] < state.upper[2])


def test_hope_is_rounded_up_and_certainty_down() -> None:
    """2 * 2/3 - 1 = .333... brings 333,333,334 billionths in the optimistic problem and one less in the pessimistic."""
    enough = Constraint.reaching(0.333333334)
    policy = CCBS(PROBLEM, enough, enough, SELECTORS["greedy"], HoeffdingInterval())
    state = replace(policy.start([1], 0), lower=np.array([2 / 3]), upper=np.array([2 / 3]))
    assert policy.cheapest_optimistic(state).feasible
    assert policy.decide(state).ask.phase is Phase.EXPLORE


def test_intervals_of_assured_only_shrink() -> None:
    policy = assured_policy(PROBLEM)
    state = policy.start([3, 2, 9], seed=0)
    random = np.random.default_rng(0)
    for _ in range(200):
        told = policy.tell(state, np.arange(3), random.random(3) < 0.6)
        assert (told.lower >= state.lower).all()
        assert (told.upper <= state.upper).all()
        state = told


def test_the_pool_is_the_lowest_bidders_and_the_next_bid_prices_it() -> None:
    bids, keys = np.array([5, 1, 3, 3, 9]), np.array([1, 2, 8, 7, 3])
    assert np.flatnonzero(lowest_bidders(bids, keys, 2)).tolist() == [1, 3]
    assert np.flatnonzero(lowest_bidders(bids, keys, 9)).tolist() == [0, 1, 2, 3, 4]
    assert [outside_bid(bids, size, cap=10) for size in (1, 2, 3, 4, 5, 6)] == [3, 3, 5, 9, 10, 10]


def test_the_gap_allowed_is_a_whole_number_that_looks_at_no_bid() -> None:
    """g_t = kappa t m cap / (T - t): at t = 40 of 100, m = 6, cap = 10 and kappa = 1/4 it is 10."""
    assert allowance(PROBLEM, Fraction(1, 4), 6, 40) == 10
    assert allowance(PROBLEM, Fraction(1, 4), 6, 41) == 10
    assert allowance(PROBLEM, Fraction(0), 6, 99) == 0
    assert allowance(PROBLEM, Fraction(0), 6, 100) == 60


def test_the_fewest_heads_are_the_most_able() -> None:
    values = np.array([5, 1, 3, 3])
    assert [fewest(values, enough) for enough in (1, 5, 6, 8, 9, 12, 13)] == [1, 1, 2, 2, 3, 4, None]
    assert fewest(np.empty(0, dtype=np.int64), 1) is None


@pytest.mark.parametrize("model", [Linear(), Majority()], ids=["additive", "majority"])
def test_minimal_adds_the_highest_pessimistic_qualities_until_the_target_holds(model: Any) -> None:
    lower = np.array([0.55, 0.95, 0.6, 0.95, 0.9])
    constraint = Constraint.reaching(1.7) if isinstance(model, Linear) else Constraint.below(model, 0.06)
    # Jury {0} brings .1. With 1 and 3 (.9 each, ties to the lower index) it is 1.9 >= 1.7; the majority of .55,
    # .95 and .95 errs .0475.
    assert minimal(np.array([0]), lower, constraint).tolist() == [0, 1, 3]
    out_of_reach = Constraint.reaching(4.0) if isinstance(model, Linear) else Constraint.below(model, 1e-9)
    assert minimal(np.array([0]), lower, out_of_reach).tolist() == [0, 1, 2, 3, 4]


def test_epsilon_greedys_coin_is_a_function_of_seed_and_round() -> None:
    assert all(explores(7, t) for t in range(1, 101))
    share = np.mean([explores(7, t) for t in range(101, 20_101)])
    expected = np.mean([100 / t for t in range(101, 20_101)])
    # 20,000 coins: the standard error is about .0011.
    assert abs(share - expected) < 0.004
    assert [explores(7, t) for t in range(101, 400)] != [explores(8, t) for t in range(101, 400)]
    policy = paper_policy("epsilon-greedy", PROBLEM)
    assert isinstance(policy, EpsilonGreedy)
    assert policy.ask(policy.start([1, 2], 0)).phase is Phase.EXPLORE


@pytest.mark.parametrize(
    "policy",
    [
        AssuredJoint(Problem(0.9, 0.9, 100, 10), pool=3, max_size=3),
        assured_policy(PROBLEM, pool=3),
        assured_policy(PROBLEM, pool=3, stopping=Stopping.HEAD_COUNT),
    ],
    ids=["joint", "price-gap", "head-count"],
)
def test_an_outcome_of_somebody_outside_the_pool_is_refused(policy: Policy) -> None:
    state = policy.start(np.array([1, 2, 3, 9]), 1)
    for _ in range(2):
        with pytest.raises(InvalidInput, match="worker 3 is not in the pool"):
            policy.tell(state, np.array([0, 3]), np.array([True, True]))
        state = policy.tell(state, np.arange(3), np.array([True, True, False]))


def test_a_late_answer_of_somebody_who_left_before_any_truth_came_is_told() -> None:
    policy = assured_policy(PROBLEM, pool=3)
    start = policy.start(np.array([1, 2, 3, 9]), 1)
    left = replace(start, alive=np.array([True, True, False, False]))
    assert policy.tell(left, np.array([1, 2]), np.array([True, True])).asked.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("name", "model", "selector", "message"),
    [
        ("ccb-s", Majority(), "greedy", "'majority' is not additive.*use a selector made for it"),
        ("ccb-ns", Majority(), "exact", "'majority' is not additive"),
        ("ccb-s", Linear(), "majority", "'majority' is made for the error model of that name and was given 'linear'"),
        ("epsilon-greedy", Linear(), "likelihood", "'likelihood' is made for the error model of that name"),
        ("ccb-se", Majority(), "majority", "'majority' is not additive"),
    ],
)
def test_a_selector_that_does_not_fit_the_model_is_refused_before_the_campaign(
    name: str, model: ErrorModel, selector: str, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        paper_policy(name, PROBLEM, model=model, selector=SELECTORS[selector])


def test_epsilon_greedys_coins_are_seeded_and_nobody_elses() -> None:
    assert paper_policy("epsilon-greedy", PROBLEM, coin_seed=7) == replace(
        paper_policy("epsilon-greedy", PROBLEM), coin_seed=7
    )
    with pytest.raises(InvalidInput, match="coin_seed 7 has no use with 'ccb-s': only 'epsilon-greedy' tosses coins"):
        paper_policy("ccb-s", PROBLEM, coin_seed=7)
