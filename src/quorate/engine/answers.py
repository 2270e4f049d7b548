"""The realization as compiled code reads it: one word of 64 tasks per worker at a time, drawn when first needed.

A run walks through the tasks in order, so the word of the present block is all that is kept of a worker: memory grows
with the number of workers alone. Of a word only the lanes asked for are drawn: a single lane is decided by two random
words on average, all 64 by eight.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.model.realization import (
    CERTAIN,
    LANES,
    Field,
    Realization,
    Recorded,
    answer_lanes,
    compared_twice,
    remaining_lanes,
)

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
NO_LANES = np.uint64(0)
_0 = NO_LANES
_1 = np.uint64(1)
_FIVES = np.uint64(0x5555555555555555)
_THREES = np.uint64(0x3333333333333333)
_ONES = np.uint64(0x0F0F0F0F0F0F0F0F)
NO_BLOCK = -1
# Digits compared for everybody together, at most: of 64 lanes, one in sixty-four words has one undecided after twelve.
TOGETHER = 12


class Answers(NamedTuple):
    """`recorded` holds every word of a realization that is written out, one row per worker, and no row of a random
    field.

    Of worker i, the lanes `known[i]` of the word of block `block[i]` are in `words[i]`. `undecided` is room for
    drawing.
    """

    seed: np.uint64
    thresholds: NDArray[np.uint64]
    recorded: NDArray[np.uint64]
    words: NDArray[np.uint64]
    known: NDArray[np.uint64]
    undecided: NDArray[np.uint64]
    block: NDArray[np.int64]


def answers_of(realization: Realization) -> Answers | None:
    """A reader of this realization, or None where the engine has none: a subclass may answer otherwise."""
    workers = realization.workers
    if type(realization) is Field:
        seed, thresholds, recorded = realization.seed, realization.thresholds, np.empty((0, 0), dtype=np.uint64)
    elif type(realization) is Recorded:
        seed, thresholds, recorded = 0, np.empty(0, dtype=np.uint64), packed(realization.matrix)
    else:
        return None
    return Answers(
        seed=np.uint64(seed),
        thresholds=thresholds,
        recorded=recorded,
        words=np.zeros(workers, dtype=np.uint64),
        known=np.zeros(workers, dtype=np.uint64),
        undecided=np.zeros(workers, dtype=np.uint64),
        block=np.full(workers, NO_BLOCK, dtype=np.int64),
    )


def packed(matrix: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of 0/1 as words: bit b of word (i, block) is the entry (i, 64 block + b)."""
    workers, tasks = matrix.shape
    octets = np.zeros((workers, -(-tasks // LANES) * 8), dtype=np.uint8)
    octets[:, : -(-tasks // 8)] = np.packbits(matrix, axis=1, bitorder="little")
    return octets.view("<u8").astype(np.uint64)


@inline
def lanes(answers: Answers, worker: int, block: int, wanted: np.uint64) -> np.uint64:
    """The worker's answers to the tasks of a block (1: right), true at least on the wanted lanes."""
    word: np.uint64
    if len(answers.recorded) > 0:
        word = answers.recorded[worker, block]
        return word
    if answers.block[worker] != block:
        answers.block[worker] = block
        answers.known[worker] = _0
        answers.words[worker] = _0
    missing = wanted & ~answers.known[worker]
    if missing != _0:
        answers.known[worker] |= missing
        answers.words[worker] |= answer_lanes(
            answers.seed, np.uint64(worker), np.uint64(block), answers.thresholds[worker], missing
        )
    word = answers.words[worker]
    return word


@kernel
def draw_everybody(answers: Answers, block: int, wanted: np.uint64) -> None:
    """Everybody's answers to the wanted tasks of a block, into `words`.

    The first digits are compared for everybody, in loops that the compiler turns into vector instructions: each digit
    halves the undecided lanes, until about one word in sixteen is left to be finished alone.
    """
    workers = len(answers.words)
    if len(answers.recorded) > 0:
        for i in range(workers):
            answers.words[i] = answers.recorded[i, block]
        return
    for i in range(workers):
        fresh = answers.block[i] != block
        known = _0 if fresh else answers.known[i]
        word = _0 if fresh else answers.words[i]
        missing = wanted & ~known
        # Whoever is always right has no digit to compare.
        certain = answers.thresholds[i] >= CERTAIN
        answers.block[i] = block
        answers.known[i] = known | missing
        answers.words[i] = word | missing if certain else word
        answers.undecided[i] = _0 if certain else missing
    size = count(wanted)
    digit = 0
    while digit < TOGETHER and 4 * size >> digit > 0:
        for i in range(workers):
            answers.undecided[i], answers.words[i] = compared_twice(
                answers.seed,
                np.uint64(i),
                np.uint64(block),
                answers.thresholds[i],
                digit,
                answers.undecided[i],
                answers.words[i],
            )
        digit += 2
    for i in range(workers):
        if answers.undecided[i] != _0:
            answers.words[i] = remaining_lanes(
                answers.seed,
                np.uint64(i),
                np.uint64(block),
                answers.thresholds[i],
                digit,
                answers.undecided[i],
                answers.words[i],
            )


@inline
def is_right(word: np.uint64, lane: int) -> np.int64:
    """1 if the answer in this lane is right, else 0."""
    return np.int64((word >> np.uint64(lane)) & _1)


@inline
def lanes_from(lane: int) -> np.uint64:
    """The lanes from this one to the block's end."""
    return ALL << np.uint64(lane)


@inline
def lanes_to(lane: int) -> np.uint64:
    """The lanes from the block's start to this one."""
    return ALL >> np.uint64(LANES - 1 - lane)


@inline
def count(word: np.uint64) -> np.int64:
    """How many lanes are set: the population count, by halves (Warren, Hacker's Delight)."""
    word = word - ((word >> _1) & _FIVES)
    word = (word & _THREES) + ((word >> np.uint64(2)) & _THREES)
    word = (word + (word >> np.uint64(4))) & _ONES
    word += word >> np.uint64(8)
    word += word >> np.uint64(16)
    word += word >> np.uint64(32)
    return np.int64(word & np.uint64(127))
