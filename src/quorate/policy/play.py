"""A whole run, plainly: policy against realization. The oracle of every compiled engine."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput
from quorate.model.constraint import Constraint
from quorate.model.error import majority_error
from quorate.model.problem import check_qualities
from quorate.model.realization import Realization
from quorate.policy.base import Ask, Phase, Policy, State, Workers
from quorate.vote import majority_verdict, weighted_error, weighted_verdict


@dataclass(frozen=True, eq=False)
class Play:
    """What happened. `spend` is the sum of bids per task in millionths; `stop` is the first task (from 1) of
    exploitation.

    A task violates twice over, separately: `model_violations` where the jury misses the constraint of the error model
    at the true qualities, `vote_violations` where the error of the vote taken exceeds alpha (`vote_error`: exact, or
    where that is out of reach never too low, so that none is missed). `vote_violations_then` are those of exploitation:
    exploring starts before anything is known of anybody. All are None without true qualities.
    """

    juries: tuple[Workers, ...]
    phases: tuple[Phase, ...]
    counts: NDArray[np.int64]
    spend: NDArray[np.int64]
    verdicts_right: NDArray[np.bool_]
    stop: int | None
    model_violations: int | None
    vote_violations: int | None
    vote_violations_then: int | None
    final: State

    @property
    def total(self) -> int:
        return int(self.spend.sum())


def play(
    policy: Policy, realization: Realization, bids: ArrayLike, *, seed: int = 0, qualities: ArrayLike | None = None
) -> Play:
    """Run the policy over its whole horizon; every truth is revealed at once."""
    state = policy.start(bids, seed)
    if realization.workers != len(state.bids):
        raise InvalidInput(
            f"the realization has {realization.workers} workers and there are {len(state.bids)} bids; they must match"
        )
    known = None if qualities is None else check_qualities(qualities, len(state.bids))
    violations = _Violations(policy, known)
    horizon = policy.problem.horizon
    juries: list[Workers] = []
    phases: list[Phase] = []
    counts = np.zeros(len(state.bids), dtype=np.int64)
    spend = np.empty(horizon, dtype=np.int64)
    verdicts = np.empty(horizon, dtype=np.bool_)
    for task in range(horizon):
        asked = policy.ask(state)
        right = realization.right(task, asked.jury)
        juries.append(asked.jury)
        phases.append(asked.phase)
        counts[asked.jury] += 1
        spend[task] = state.bids[asked.jury].sum()
        verdicts[task] = verdict_is_right(asked, right, realization.truth(task))
        violations.count(asked)
        state = policy.tell(state, asked.jury, right)
    stop = state.stop if state.stop is not None and state.stop <= horizon else None
    return Play(
        juries=tuple(juries),
        phases=tuple(phases),
        counts=counts,
        spend=spend,
        verdicts_right=verdicts,
        stop=stop,
        model_violations=violations.of_model,
        vote_violations=violations.of_vote,
        vote_violations_then=violations.of_vote_then,
        final=state,
    )


def verdict_is_right(asked: Ask, right: NDArray[np.bool_], truth: bool) -> bool:
    """Members who are right say the truth, the others its opposite."""
    labels = right if truth else ~right
    verdict = majority_verdict(labels) if asked.weights is None else weighted_verdict(labels, asked.weights)
    return verdict == truth


def vote_error(asked: Ask, qualities: NDArray[np.float64]) -> float:
    """The error of the vote that is taken, at the true qualities of the workers.

    Exact for the majority, and for a weighted vote whose weights make at most 2^16 sums, as those of any 17 members
    do; above that, an upper bound (`weighted_error`).
    """
    jury = qualities[asked.jury]
    return majority_error(jury) if asked.weights is None else weighted_error(asked.weights, jury)


def errs_too_often(error: float, alpha: float) -> bool:
    """Whether an error is above alpha by more than float arithmetic may add."""
    return error > alpha + math.ulp(1.0)


def same_vote(one: Ask, other: Ask) -> bool:
    """The same workers, weighed alike."""
    if one is other:
        return True
    if not np.array_equal(one.jury, other.jury) or (one.weights is None) != (other.weights is None):
        return False
    return one.weights is None or other.weights is None or np.array_equal(one.weights, other.weights)


def truly_meets(constraint: Constraint, qualities: NDArray[np.float64]) -> bool:
    """Whether a jury with these true qualities meets the model's constraint, as the formula stands.

    A model that is not additive proves nothing of a jury with a member below its floor: that is a miss.
    """
    if not constraint.additive and bool((qualities < constraint.model.floor).any()):
        return False
    return constraint.meets(qualities)


class _Violations:
    """Counts both kinds; a vote is judged anew only when it changes: at n = 1100 its exact error takes 10 ms."""

    def __init__(self, policy: Policy, qualities: NDArray[np.float64] | None) -> None:
        self._constraint = policy.pessimistic
        self._alpha = policy.problem.alpha
        self._qualities = qualities
        self._last: Ask | None = None
        self._judgement = (False, False)
        self.of_model = None if qualities is None else 0
        self.of_vote = None if qualities is None else 0
        self.of_vote_then = None if qualities is None else 0

    def count(self, asked: Ask) -> None:
        if self._qualities is None or self.of_model is None or self.of_vote is None or self.of_vote_then is None:
            return
        if self._last is None or not same_vote(asked, self._last):
            too_often = errs_too_often(vote_error(asked, self._qualities), self._alpha)
            self._last = asked
            self._judgement = (not truly_meets(self._constraint, self._qualities[asked.jury]), too_often)
        self.of_model += self._judgement[0]
        self.of_vote += self._judgement[1]
        self.of_vote_then += self._judgement[1] and asked.phase is Phase.EXPLOIT
