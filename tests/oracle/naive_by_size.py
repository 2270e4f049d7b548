"""The cheapest jury by trying all 2^n of them at once, with the error models written out from the paper (section 3.1).

Row m of a table of juries has True where bit i of m is set: worker i is in jury m.
"""

import math
from functools import cache

import numpy as np


@cache
def all_juries(workers: int) -> np.ndarray:
    return (np.arange(1 << workers)[:, None] >> np.arange(workers)) & 1 == 1


def likelihood(qualities: np.ndarray) -> np.ndarray:
    """The product of 1 - q over the floor((s + 1) / 2) lowest of each jury."""
    ascending = np.argsort(qualities)
    juries = all_juries(len(qualities))[:, ascending]
    counted = juries & (np.cumsum(juries, axis=1) <= (juries.sum(axis=1, keepdims=True) + 1) // 2)
    return np.where(counted, 1.0 - qualities[ascending], 1.0).prod(axis=1)


def hoeffding(qualities: np.ndarray) -> np.ndarray:
    juries = all_juries(len(qualities))
    margin = juries @ (2.0 * qualities - 1.0)
    return np.exp(-(margin**2) / (2.0 * np.maximum(juries.sum(axis=1), 1)))


def majority(qualities: np.ndarray) -> np.ndarray:
    """The law of how many are wrong, for all juries side by side; a tie is wrong half of the time."""
    law = np.zeros((1, len(qualities) + 1))
    law[0, 0] = 1.0
    for quality in qualities:
        grown = law * quality
        grown[:, 1:] += law[:, :-1] * (1.0 - quality)
        law = np.concatenate([law, grown])  # the juries without this worker, then those with it
    wrong, size = np.arange(len(qualities) + 1), all_juries(len(qualities)).sum(axis=1, keepdims=True)
    lost = np.where(2 * wrong > size, 1.0, np.where(2 * wrong == size, 0.5, 0.0))
    return (law * lost).sum(axis=1)


def majority_by_patterns(qualities: list[float]) -> float:
    """Every pattern of who is wrong: the oracle of the oracle."""
    size = len(qualities)
    error = 0.0
    for pattern in range(1 << size):
        chance = math.prod(1.0 - q if pattern >> i & 1 else q for i, q in enumerate(qualities))
        wrong = pattern.bit_count()
        error += chance if 2 * wrong > size else 0.5 * chance if 2 * wrong == size else 0.0
    return error


MODELS = {"likelihood": likelihood, "hoeffding": hoeffding, "majority": majority}


def cheapest(errors: np.ndarray, prices: np.ndarray, keys: np.ndarray, alpha: float) -> tuple[int, ...] | None:
    """The jury of least (price, sum of keys) whose error is below alpha, or None. Nobody is no jury."""
    good = np.flatnonzero(errors[1:] < alpha) + 1
    if len(good) == 0:
        return None
    juries = all_juries(len(prices))[good]
    best = np.lexsort((juries @ keys, juries @ prices))[0]
    return tuple(np.flatnonzero(juries[best]).tolist())
