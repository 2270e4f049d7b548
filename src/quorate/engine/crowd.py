"""What a run knows of its workers: counts of answers, and what they make of each worker's worth."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline
from quorate.engine.answers import Answers, is_right, lanes, lanes_from
from quorate.model.realization import LANES


class Crowd(NamedTuple):
    """`by_price` is everybody by bid, ties by index. `certain` holds pessimistic values, `possible` optimistic ones."""

    prices: NDArray[np.int64]
    by_price: NDArray[np.int64]
    asked: NDArray[np.int64]
    right: NDArray[np.int64]
    certain: NDArray[np.int64]
    possible: NDArray[np.int64]


def crowd_of(prices: NDArray[np.int64]) -> Crowd:
    """Nobody has answered yet."""
    counts = np.zeros((4, len(prices)), dtype=np.int64)
    return Crowd(prices, np.argsort(prices, kind="stable"), *counts)


@inline
def ask(crowd: Crowd, answers: Answers, worker: int, task: int) -> None:
    """One more answer of this worker. The rest of the block is drawn with it: who is asked once is asked again."""
    lane = task % LANES
    word = lanes(answers, worker, task // LANES, lanes_from(lane))
    crowd.asked[worker] += 1
    crowd.right[worker] += is_right(word, lane)


@inline
def everybody(jury: NDArray[np.int64]) -> int:
    """The jury of all workers; its size."""
    for i in range(len(jury)):
        jury[i] = i
    return len(jury)
