"""One jury's own verdicts on the gold tasks, and the weights with which it votes."""

import numpy as np
from numpy.typing import NDArray

from quorate.certify.frontier import Ints
from quorate.certify.matrix import GoldMatrix, unpack
from quorate.certify.search import Search
from quorate.certify.terms import Vote
from quorate.model.interval.base import Floats


def vote_weights(search: Search, members: Ints) -> Floats:
    """Weights in the order of the members: learned, or the log-odds of the quality bounds (MATHS 2.5).

    Under independence a member whose bound is no better than a coin has weight 0: its answer is not used.
    """
    if search.learned is not None:
        return search.learned.weight[members].astype(np.float64)
    # A lower bound on a quality is below 1 unless there were no tasks at all.
    quality = np.maximum(search.qualities[members], 0.5)
    return np.asarray(np.log(quality / (1.0 - quality)))


def jury_right(gold: GoldMatrix, members: Ints, weights: Floats | None, rank: Ints | None) -> tuple[int, int]:
    """(right, tasks) of a jury on the gold tasks that all its members answered.

    Majority without weights; with weights, ties follow the heaviest (the smallest rank, or the first).
    """
    answered = unpack(gold.answered[members]).all(axis=0)
    right = unpack(gold.right[members])[:, answered]
    return int(weighted_right(right, weights, rank).sum()), int(answered.sum())


def weighted_right(right: NDArray[np.bool_], weights: Floats | None, rank: Ints | None) -> NDArray[np.bool_]:
    """Where a jury is right, from its members' rows [members, tasks]."""
    if weights is None:
        weights = np.ones(len(right))
    leader = int(np.argmax(weights)) if rank is None else int(np.argmin(rank))
    margin = (weights[:, None] * (2.0 * right - 1.0)).sum(axis=0)
    won: NDArray[np.bool_] = (margin > 0) | ((margin == 0) & right[leader])
    return won


def own_verdicts(search: Search, members: Ints, vote: Vote) -> tuple[int, int, Floats | None]:
    """(right, tasks, weights): learned weights are judged on the tasks that did not teach them."""
    if vote is Vote.MAJORITY:
        return *jury_right(search.gold, members, None, None), None
    weights = vote_weights(search, members)
    if search.learned is not None:
        return *jury_right(search.learned.certifying, members, weights, search.learned.rank[members]), weights
    return *jury_right(search.gold, members, weights, None), weights
