"""What `quorate.policy.base.Policy` promises, checked on short campaigns with fixed seeds.

Whether a policy that calls itself truthful is so cannot be settled by a few runs: `quorate audit` searches for
counterexamples.
"""

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import pytest
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.model.realization import Field
from quorate.policy import Ask, Phase, Policy, State

WORKERS = 6
ROUNDS = 150
LONG = 3000
QUALITIES = (0.97, 0.55, 0.9, 0.7, 1.0, 0.85)

Step = tuple[State, Ask, NDArray[np.bool_]]


def some_bids(policy: Policy, seed: int) -> NDArray[np.int64]:
    """Within the cap, with a tie."""
    bids = np.random.default_rng(seed).integers(0, policy.problem.cap + 1, WORKERS)
    bids[3] = bids[1]
    return bids.astype(np.int64)


def campaign(
    policy: Policy, seed: int, rounds: int = ROUNDS, qualities: tuple[float, ...] = QUALITIES
) -> Iterator[Step]:
    """Each round's state, what it asks, and who is right."""
    field = Field.of(seed, qualities)
    state = policy.start(some_bids(policy, seed), seed)
    for task in range(min(rounds, policy.problem.horizon)):
        ask = policy.ask(state)
        right = field.right(task, ask.jury)
        yield state, ask, right
        state = policy.tell(state, ask.jury, right)


class PolicyContract:
    """Inherit, and define the fixture `policy`."""

    @pytest.fixture
    def policy(self) -> Policy:
        raise NotImplementedError("define a fixture `policy` that returns the policy to check")

    def test_it_follows_the_protocol(self, policy: Policy) -> None:
        assert isinstance(policy, Policy)
        assert policy.name
        assert isinstance(policy.truthful, bool)

    def test_the_first_jury_is_everybody_who_takes_part(self, policy: Policy) -> None:
        for seed in range(3):
            state = policy.start(some_bids(policy, seed), seed)
            first = policy.ask(state)
            assert first.phase is Phase.EXPLORE
            assert np.array_equal(first.jury, np.flatnonzero(state.alive))
            assert state.round == 0
            assert state.stop is None

    def test_a_jury_is_a_sorted_set_of_workers(self, policy: Policy) -> None:
        for seed in range(3):
            for state, ask, _ in campaign(policy, seed):
                assert len(ask.jury) > 0
                assert (np.diff(ask.jury) > 0).all()
                assert ask.jury[0] >= 0
                assert ask.jury[-1] < WORKERS
                assert state.alive[ask.jury].all()

    def test_weights_are_one_per_member_and_none_is_negative(self, policy: Policy) -> None:
        for seed in range(3):
            for _, ask, _ in campaign(policy, seed):
                if ask.weights is not None:
                    assert ask.weights.shape == ask.jury.shape
                    assert (ask.weights >= 0).all()

    def test_asking_changes_nothing(self, policy: Policy) -> None:
        for state, ask, _ in campaign(policy, 1):
            before = state.to_json()
            again = policy.ask(state)
            assert state.to_json() == before
            assert np.array_equal(again.jury, ask.jury)
            assert again.phase is ask.phase

    def test_telling_leaves_the_old_state_as_it_was(self, policy: Policy) -> None:
        for state, ask, right in campaign(policy, 2):
            before, jury, outcome = state.to_json(), ask.jury.copy(), right.copy()
            policy.tell(state, ask.jury, right)
            assert state.to_json() == before
            assert np.array_equal(ask.jury, jury)
            assert np.array_equal(right, outcome)

    def test_telling_counts_one_truth_for_each_member(self, policy: Policy) -> None:
        for state, ask, right in campaign(policy, 3):
            if state.stop is not None:
                break
            told = policy.tell(state, ask.jury, right)
            member = np.isin(np.arange(WORKERS), ask.jury)
            assert np.array_equal(told.asked - state.asked, member)
            assert np.array_equal((told.right - state.right)[ask.jury], right)
            assert np.array_equal(told.right[~member], state.right[~member])
            assert told.round == state.round + 1

    def test_the_same_truths_give_the_same_states_to_the_bit(self, policy: Policy) -> None:
        for seed in range(3):
            first = [state.to_json() for state, _, _ in campaign(policy, seed)]
            assert [state.to_json() for state, _, _ in campaign(policy, seed)] == first

    def test_a_state_goes_through_json_to_the_bit(self, policy: Policy) -> None:
        for state, ask, right in campaign(policy, 4):
            text = state.to_json()
            read = State.from_json(text)
            assert read.to_json() == text
            for entry in fields(State):
                assert type(getattr(read, entry.name)) is type(getattr(state, entry.name))
            assert policy.tell(read, ask.jury, right).to_json() == policy.tell(state, ask.jury, right).to_json()

    def test_once_it_exploits_for_good_nothing_is_learned(self, policy: Policy) -> None:
        stopped = None
        for state, ask, right in campaign(policy, 5, LONG, (1.0,) * WORKERS):
            if state.stop is not None:
                stopped = state, ask, right
                break
        if stopped is None:
            pytest.skip(f"the policy {policy.name!r} does not stop within {LONG} rounds even with perfect workers")
        state, ask, right = stopped
        assert state.stop == state.round + 1
        assert ask.phase is Phase.EXPLOIT
        for outcome in (right, ~right):
            assert policy.tell(state, ask.jury, outcome).to_json() == state.to_json()

    def test_truths_may_come_late_and_out_of_order(self, policy: Policy) -> None:
        field, bids = Field.of(6, QUALITIES), some_bids(policy, 6)
        start = policy.start(bids, 6)
        jury = policy.ask(start).jury
        ends = []
        for order in (range(12), reversed(range(12))):
            state = start
            for task in order:
                state = policy.tell(state, jury, field.right(task, jury))
            ends.append(state)
        if ends[0].stop is not None or ends[1].stop is not None:
            pytest.skip(f"the policy {policy.name!r} stops within 12 rounds, and learns nothing afterwards")
        forward, backward = ((end.asked.tolist(), end.right.tolist(), end.round) for end in ends)
        assert forward == backward

    def test_bids_that_break_the_rules_are_refused(self, policy: Policy) -> None:
        cap = policy.problem.cap
        for bad in ([], [-1], [0, cap + 1], [0.5], [[0, 1]]):
            with pytest.raises(InvalidInput):
                policy.start(bad, 0)

    def test_outcomes_that_do_not_fit_the_jury_are_refused(self, policy: Policy) -> None:
        state = policy.start(some_bids(policy, 7), 7)
        jury = policy.ask(state).jury
        for outcomes in (np.ones(len(jury) + 1, dtype=np.bool_), np.empty(0, dtype=np.bool_)):
            with pytest.raises(InvalidInput):
                policy.tell(state, jury, outcomes)

    def test_tie_keys_look_at_the_seed_and_at_no_bid(self, policy: Policy) -> None:
        keys = policy.start(some_bids(policy, 8), 8).keys
        assert np.array_equal(policy.start(some_bids(policy, 9), 8).keys, keys)
        assert not np.array_equal(policy.start(some_bids(policy, 8), 9).keys, keys)
