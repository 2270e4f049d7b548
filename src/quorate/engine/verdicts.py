"""Violations of a run, as `play` counts them: a cheap bound first, the exact error where the bound does not decide.

Of the majority vote of s members Hoeffding's bound (paper, Example 3.2) says: if x = sum(2q - 1) > 0, the error, half
of the ties included, is at most P(at least half are wrong) <= exp(-x^2 / (2s)). Where that is below alpha there is no
violation.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline
from quorate.model.error import majority_error
from quorate.model.fixed_point import BILLIONTHS
from quorate.policy.base import LearningPolicy
from quorate.policy.play import errs_too_often, truly_meets
from quorate.vote.log_odds import GRID, log_odds_weights, weighted_error

# The bound is compared with this much to spare, far more than the rounding of either side.
SPARE = 1e-6
# Entries for doubtful juries at first: in most worlds there are none, and untouched memory costs nothing.
ROOM = 1 << 18
Qualities = NDArray[np.float64]


@dataclass(frozen=True)
class Violations:
    of_model: int
    of_vote: int

    def __add__(self, other: "Violations") -> "Violations":
        return Violations(self.of_model + other.of_model, self.of_vote + other.of_vote)


class Judge(NamedTuple):
    """What compiled code needs to judge a jury; empty arrays where the true qualities are not known."""

    excess: NDArray[np.float64]
    worth: NDArray[np.int64]
    requirement: int
    exponent: float


class Doubts(NamedTuple):
    """What judging leaves: `counts` = (juries that missed the model's constraint, entries of `juries` in use).

    `juries` lists those that the bound does not clear, each as its size and its members; the size is negative for a
    weighted vote, and then `lower` has the members' pessimistic qualities at the same places. If more entries are in
    use than there are, there were too few: the run must be repeated with more room.
    """

    counts: NDArray[np.int64]
    juries: NDArray[np.int64]
    lower: NDArray[np.float64]


def judge_of(policy: LearningPolicy, qualities: Qualities | None) -> Judge:
    known = np.empty(0) if qualities is None else qualities
    worth = policy.pessimistic.values(known, optimistic=False)
    return Judge(2.0 * known - 1.0, worth, policy.pessimistic.requirement, exponent_of(policy))


def exponent_of(policy: LearningPolicy) -> float:
    """Hoeffding's bound is below alpha where x^2 exceeds this times s."""
    return 2.0 * math.log(1.0 / policy.problem.alpha) * (1.0 + SPARE)


def no_doubts(room: int) -> Doubts:
    return Doubts(np.zeros(2, dtype=np.int64), np.empty(room, dtype=np.int64), np.empty(room))


@inline
def surely_right(excess: float, size: int, exponent: float) -> bool:
    """Whether Hoeffding's bound alone keeps the majority's error below alpha."""
    return excess > SPARE and excess * excess > exponent * size


@inline
def judge_jury(judge: Judge, doubts: Doubts, jury: NDArray[np.int64], size: int) -> None:
    """One task's jury, voting by majority."""
    if len(judge.worth) == 0:
        return
    worth = 0
    excess = 0.0
    for place in range(size):
        worth += judge.worth[jury[place]]
        excess += judge.excess[jury[place]]
    if worth < judge.requirement:
        doubts.counts[0] += 1
    if not surely_right(excess, size, judge.exponent):
        _doubt(doubts, jury, size, size)


@inline
def judge_weighted(
    judge: Judge, doubts: Doubts, lower: NDArray[np.float64], jury: NDArray[np.int64], size: int
) -> None:
    """One task's jury, each weighing w = logit(q-), W in all.

    By Chernoff's bound the wrong weight is at least W / 2 with probability at most e^(-W/2) prod (q + (1 - q) e^w).
    Where `weighted_error` counts on a grid, each wrong weight is up to W / GRID more; rounding a weight costs 10^-9.
    """
    worth = 0
    total = 0.0
    for place in range(size):
        worth += judge.worth[jury[place]]
        total += math.log(lower[jury[place]] / (1.0 - lower[jury[place]]))
    stretch = math.exp(total / GRID)
    product = 1.0
    for place in range(size):
        i = jury[place]
        wrong = 0.5 - 0.5 * judge.excess[i]
        product *= 1.0 - wrong + wrong * stretch * lower[i] / (1.0 - lower[i])
    if worth < judge.requirement:
        doubts.counts[0] += 1
    # Written so that what is not a number is doubted.
    if not (product * math.exp(size / BILLIONTHS - 0.5 * total) < math.exp(-0.5 * judge.exponent)):
        start = _doubt(doubts, jury, size, -size)
        for place in range(min(size, len(doubts.lower) - start)):
            doubts.lower[start + place] = lower[jury[place]]


@inline
def _doubt(doubts: Doubts, jury: NDArray[np.int64], size: int, mark: int) -> int:
    """List a jury if there is room for it; where its members start."""
    start: int = doubts.counts[1] + 1
    doubts.counts[1] += size + 1
    if doubts.counts[1] <= len(doubts.juries):
        doubts.juries[start - 1] = mark
        doubts.juries[start : start + size] = jury[:size]
    return start


def doubted(policy: LearningPolicy, doubts: Doubts, qualities: Qualities) -> Violations:
    """What the judged juries violated: the exact error of the doubtful ones, once for each vote."""
    judged: dict[tuple[bytes, bytes], bool] = {}
    errors = 0
    start = 0
    while start < doubts.counts[1]:
        size = int(doubts.juries[start])
        places = slice(start + 1, start + 1 + abs(size))
        # `play` sums over a jury in ascending order; so must whoever wants its rounding. Weighted ones are in order.
        jury = np.sort(doubts.juries[places])
        weights = log_odds_weights(doubts.lower[places]) if size < 0 else None
        key = (jury.tobytes(), b"" if weights is None else weights.tobytes())
        if key not in judged:
            members = qualities[jury]
            error = majority_error(members) if weights is None else weighted_error(weights, members)
            judged[key] = errs_too_often(error, policy.problem.alpha)
        errors += judged[key]
        start = places.stop
    return Violations(int(doubts.counts[0]), errors)


def majority_violations(policy: LearningPolicy, qualities: Qualities, tasks: int) -> Violations:
    """What a jury with these true qualities, in the workers' order, violates by majority over so many tasks."""
    if tasks == 0:
        return Violations(0, 0)
    excess = float((2.0 * qualities - 1.0).sum())
    too_often = not surely_right(excess, len(qualities), exponent_of(policy)) and errs_too_often(
        majority_error(qualities), policy.problem.alpha
    )
    return Violations(tasks * (not truly_meets(policy.pessimistic, qualities)), tasks * too_often)


def weighted_violations(
    policy: LearningPolicy, qualities: Qualities, weights: NDArray[np.int64], tasks: int
) -> Violations:
    """The same where the members' answers are weighed."""
    too_often = errs_too_often(weighted_error(weights, qualities), policy.problem.alpha)
    return Violations(tasks * (not truly_meets(policy.pessimistic, qualities)), tasks * too_often)
