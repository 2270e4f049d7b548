"""Every registered policy keeps the contract; each promise of it is broken once."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from quorate.model import Constraint, Problem
from quorate.model.error import Linear, LogOdds, Majority
from quorate.policy import (
    CCBS,
    PAPER_POLICIES,
    Ask,
    AssuredJoint,
    Phase,
    Policy,
    State,
    Stopping,
    assured_policy,
    paper_policy,
)
from quorate.select.base import SELECTORS
from quorate.testing import PolicyContract
from tests.contract.broken import FAILED, check_every_promise_has_a_control, run_contract

PROBLEM = Problem(target=0.75, confidence=0.9, horizon=3000, cap=20_000_000)
WITH_SLACK = replace(PROBLEM, slack=0.05)

REGISTERED: dict[str, Policy] = {
    **{name: paper_policy(name, PROBLEM, model=LogOdds()) for name in PAPER_POLICIES},
    # At the paper's epsilon six workers are too few: nothing would ever stop.
    **{f"{name}, linear, slack": paper_policy(name, WITH_SLACK, model=Linear(0.45)) for name in PAPER_POLICIES},
    "ccb-s, exact": paper_policy("ccb-s", PROBLEM, model=LogOdds(), selector=SELECTORS["exact"]),
    # No additive model, so MINIMAL tries one worker more at a time.
    "ccb-ns, majority": paper_policy("ccb-ns", PROBLEM, model=Majority(), selector=SELECTORS["majority"]),
    "ccb-s, majority": paper_policy("ccb-s", PROBLEM, model=Majority(), selector=SELECTORS["majority"]),
    "assured": assured_policy(PROBLEM),
    "assured, pool 3": assured_policy(WITH_SLACK, pool=3),
    "assured, head count": assured_policy(PROBLEM, pool=4, stopping=Stopping.HEAD_COUNT),
    "assured, linear": assured_policy(PROBLEM, model=Linear(0.3)),
    "assured-joint": AssuredJoint(PROBLEM, pool=5),
}


class TestRegisteredPolicies(PolicyContract):
    @pytest.fixture(params=sorted(REGISTERED))
    def policy(self, request: pytest.FixtureRequest) -> Policy:
        return REGISTERED[request.param]


@dataclass(frozen=True)
class Broken(CCBS):
    """CCB-S, of which each subclass breaks one promise."""

    name: ClassVar[str] = "broken"


class Nameless(Broken):
    name: ClassVar[str] = ""


class StartsSmall(Broken):
    def start(self, bids: ArrayLike, seed: int) -> State:
        state = super().start(bids, seed)
        return replace(state, ask=Ask(state.ask.jury[:1], Phase.EXPLORE))


class AsksTwice(Broken):
    def ask(self, state: State) -> Ask:
        return replace(state.ask, jury=np.repeat(state.ask.jury, 2))


class OneWeightForAll(Broken):
    def ask(self, state: State) -> Ask:
        return replace(state.ask, weights=np.array([1]))


class CountsAsks(Broken):
    def ask(self, state: State) -> Ask:
        state.asked[0] += 1
        return state.ask


class CountsInPlace(Broken):
    def tell(self, state: State, jury: NDArray[np.int64], right: NDArray[np.bool_]) -> State:
        told = super().tell(state, jury, right)
        state.right[jury] += right
        return told


class CountsEverybody(Broken):
    def tell(self, state: State, jury: NDArray[np.int64], right: NDArray[np.bool_]) -> State:
        told = super().tell(state, jury, right)
        return replace(told, right=told.right + 1)


class Restless(Broken):
    """Remembers something outside the state."""

    memory: ClassVar[list[int]] = []

    def tell(self, state: State, jury: NDArray[np.int64], right: NDArray[np.bool_]) -> State:
        self.memory.append(1)
        told = super().tell(state, jury, right)
        return replace(told, upper=told.upper - 1e-9 * len(self.memory))


class KeepsAListInItsState(Broken):
    def tell(self, state: State, jury: NDArray[np.int64], right: NDArray[np.bool_]) -> State:
        return replace(super().tell(state, jury, right), keys=state.keys.astype(np.uint32).tolist())


class NeverStopsLearning(Broken):
    def tell(self, state: State, jury: NDArray[np.int64], right: NDArray[np.bool_]) -> State:
        if state.stop is None:
            return super().tell(state, jury, right)
        return replace(state, round=state.round + 1)


class CountsLateAnswersMore(Broken):
    def tell(self, state: State, jury: NDArray[np.int64], right: NDArray[np.bool_]) -> State:
        return super().tell(replace(state, right=state.right - state.right // 4), jury, right)


class TakesAnyBid(Broken):
    def start(self, bids: ArrayLike, seed: int) -> State:
        return super().start(np.clip(np.asarray(bids, dtype=np.int64).ravel(), 0, 1), seed)


class TakesAnyOutcome(Broken):
    def tell(self, state: State, jury: NDArray[np.int64], right: NDArray[np.bool_]) -> State:
        return super().tell(state, jury, np.resize(right, len(jury)))


class TiesByPrice(Broken):
    def start(self, bids: ArrayLike, seed: int) -> State:
        state = super().start(bids, seed)
        return replace(state, keys=state.keys + state.bids)


def broken(kind: type[Broken]) -> Policy:
    enough = Constraint.below(LogOdds(), PROBLEM.alpha)
    plain = paper_policy("ccb-s", PROBLEM, model=LogOdds())
    return kind(PROBLEM, enough, enough, plain.selector, plain.interval)


CONTROLS = [
    ("test_it_follows_the_protocol", Nameless),
    ("test_the_first_jury_is_everybody_who_takes_part", StartsSmall),
    ("test_a_jury_is_a_sorted_set_of_workers", AsksTwice),
    ("test_weights_are_one_per_member_and_none_is_negative", OneWeightForAll),
    ("test_asking_changes_nothing", CountsAsks),
    ("test_telling_leaves_the_old_state_as_it_was", CountsInPlace),
    ("test_telling_counts_one_truth_for_each_member", CountsEverybody),
    ("test_the_same_truths_give_the_same_states_to_the_bit", Restless),
    ("test_a_state_goes_through_json_to_the_bit", KeepsAListInItsState),
    ("test_once_it_exploits_for_good_nothing_is_learned", NeverStopsLearning),
    ("test_truths_may_come_late_and_out_of_order", CountsLateAnswersMore),
    ("test_bids_that_break_the_rules_are_refused", TakesAnyBid),
    ("test_outcomes_that_do_not_fit_the_jury_are_refused", TakesAnyOutcome),
    ("test_tie_keys_look_at_the_seed_and_at_no_bid", TiesByPrice),
]


def test_the_policy_that_the_broken_ones_start_from_keeps_every_promise() -> None:
    for promise, _ in CONTROLS:
        run_contract(PolicyContract, promise, broken(Broken))


@pytest.mark.parametrize(("promise", "kind"), CONTROLS)
def test_a_broken_policy_is_found_out(promise: str, kind: type[Broken]) -> None:
    with pytest.raises(FAILED):
        run_contract(PolicyContract, promise, broken(kind))


def test_every_promise_has_a_control() -> None:
    check_every_promise_has_a_control(PolicyContract, [promise for promise, _ in CONTROLS])
