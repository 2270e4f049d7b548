"""The vote weighted by log-odds (MATHS 2): weights in billionths, ties to the heaviest worker's label."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput
from quorate.model.fixed_point import BILLIONTHS
from quorate.model.problem import as_qualities
from quorate.vote.majority import check_labels

# logit at q = 1 is infinite; from here up a worker outweighs any jury of 10^5 that could oppose it in practice.
LARGEST_WEIGHT = 50 * BILLIONTHS
# As many different sums of wrong weight are told apart; beyond, a grid rounded against the jury.
MOST_SUMS = 1 << 16
GRID = 1 << 14


def log_odds_weights(qualities: ArrayLike) -> NDArray[np.int64]:
    """logit(q) in billionths, at least 0: the weights are fixed before the answers are seen."""
    known = as_qualities(qualities)
    inside = np.clip(known, 0.5, 1.0 - 1e-15)
    exact = np.log(inside / (1.0 - inside)) * BILLIONTHS
    return np.where(known >= 1.0, LARGEST_WEIGHT, np.floor(exact)).astype(np.int64)


def weighted_verdict(labels: NDArray[np.bool_], weights: NDArray[np.int64]) -> bool:
    """The heavier side's answer; a tie follows the heaviest worker's label (the first of the heaviest).

    That tie rule treats the two answers alike, so the error is the same whichever is true.
    """
    if len(labels) == 0:
        raise InvalidInput("a weighted vote of nobody has no verdict; ask at least one worker")
    check_labels(labels)
    _check_weights(weights, len(labels))
    balance = int(weights[labels].sum()) - int(weights[~labels].sum())
    if balance == 0:
        return bool(labels[int(np.argmax(weights))])
    return balance > 0


def weighted_error(weights: NDArray[np.int64], qualities: ArrayLike) -> float:
    """The chance that the weighted verdict is wrong, at these true qualities.

    Exact while the weights make at most 2^16 different sums: any 17 members, and any number of equal weight. Above,
    wrong weight is counted on a grid of 2^14 steps and rounded up: never below the exact error, and above it by no
    more than the mass within (size / 2^14) of a tie.
    """
    known = as_qualities(qualities)
    _check_weights(weights, len(known))
    if len(weights) == 0:
        return 0.5
    exact = _exact_error(weights, known)
    return _gridded_error(weights, known) if exact is None else exact


def _exact_error(weights: NDArray[np.int64], qualities: NDArray[np.float64]) -> float | None:
    """By the law of the wrong weight of all but the heaviest, whose label decides a tie; None for too many sums."""
    heaviest = int(np.argmax(weights))
    others = np.arange(len(weights)) != heaviest
    sums, law = np.zeros(1, dtype=np.int64), np.ones(1)
    for weight, quality in zip(weights[others].tolist(), qualities[others].tolist(), strict=True):
        sums, law = _merged(
            np.concatenate([sums, sums + weight]), np.concatenate([law * quality, law * (1.0 - quality)])
        )
        if len(sums) > MOST_SUMS:
            return None
    total, weight, quality = int(weights.sum()), int(weights[heaviest]), float(qualities[heaviest])
    if_wrong, if_right = law[2 * (sums + weight) >= total].sum(), law[2 * sums > total].sum()
    return min(1.0, float((1.0 - quality) * if_wrong + quality * if_right))


def _merged(sums: NDArray[np.int64], law: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Equal sums become one. They come as two ascending runs, which a stable sort finds and merges."""
    order = np.argsort(sums, kind="stable")
    sums = sums[order]
    first = np.flatnonzero(np.diff(sums, prepend=-1))
    return sums[first], np.add.reduceat(law[order], first)


def _gridded_error(weights: NDArray[np.int64], qualities: NDArray[np.float64]) -> float:
    total = int(weights.sum())
    if total == 0:
        return float(1.0 - qualities[0])
    steps = -(-weights * GRID // total)  # rounded up
    half = GRID // 2
    law = np.zeros(half)
    law[0] = 1.0
    lost = 0.0
    for step, quality in zip(np.minimum(steps, half).tolist(), qualities.tolist(), strict=True):
        # Wrong weight of half the grid is a lost vote or a tie, whatever comes after.
        lost += (1.0 - quality) * float(law[half - step :].sum())
        moved = np.zeros(half)
        moved[step:] = law[: half - step]
        law = quality * law + (1.0 - quality) * moved
    return min(1.0, lost)


def _check_weights(weights: NDArray[np.int64], members: int) -> None:
    if weights.dtype != np.int64 or weights.shape != (members,):
        raise InvalidInput(
            f"weights have type {weights.dtype} and shape {weights.shape} for {members} members; give one int64 each, "
            f"as log_odds_weights does"
        )
    if weights.min(initial=0) < 0:
        raise InvalidInput(f"weight {weights.min()} is negative, which turns a vote round; give 0 or more")
