"""Mode R's coins: self-resampling for procurement with cap C (paper, Theorem 5.1; MATHS 6), on whole millionths.

For a worker who bids b, with g = 1 / one_in:

    resample(b):  with probability 1 - g, or if b = C, keep b;
                  otherwise draw b' uniformly from {b + 1, ..., C} and return resample(b')

The allocation sees x, what comes out; y is the first b' drawn, or b if none was. In the limit of fine money this is the
closed form of MATHS 6: the product of the uniform numbers drawn before the first "keep" is u1^(1/(1-g)) in law (and y
is the first of them), so x = C - (C-b) s and y = C - (C-b) max(s, r). On a grid the closed form rounds x and y apart
from each other and rests on a power function that no two machines round alike; the recursion is exact, and anyone can
repeat it with integer arithmetic.

Why that is Myerson's payment exactly. Let A(x) be the worker's tasks when the allocation sees x, all else fixed, and
A~(b) = E A(x). Given y = b' > b, the rest of the recursion is resample(b'), so E[A(x) | y = b'] = A~(b'), and y > b has
probability g, uniform over C - b values. A price per task of b + [y > b] (C - b) one_in therefore pays on average

    b A~(b) + g (C - b) one_in / (C - b) * sum(A~(u), u = b + 1..C)  =  b A~(b) + sum(A~(u), u = b + 1..C),

the integer form of b A~ + integral of A~. Where A falls in x, A~ falls in b (the same words give a larger x to a larger
bid), and no bid in whole millionths beats the true cost. `one_in` is a whole number so that the bonus is one too:
nothing is rounded, every price is at least the bid, and no unit is lost.

The coins come from a seed whose hash is published before the first bid is read and which is revealed at the end. That
shows the coins did not look at bids; it does not show that the seed was drawn fairly.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate._jit import inline, kernel
from quorate.errors import InvalidInput
from quorate.model.philox import COINS, word
from quorate.model.problem import check_bids, check_seed
from quorate.money import Money

DEFAULT_ONE_IN = 8
# (C - b) one_in stays far inside 64 bits even at the largest cap and 10^5 workers.
LARGEST_ONE_IN = 1_000
SHORTEST_SALT = 16
SEED_BYTES = 8
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_0 = np.uint64(0)
_1 = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@inline
def wide_product(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """a b as (floor(a b / 2^64), a b mod 2^64), from 32-bit halves: no step overflows."""
    a0, a1, b0, b1 = a & _LOW, a >> _32, b & _LOW, b >> _32
    lowest = a0 * b0
    middle = a1 * b0 + (lowest >> _32)
    crossed = a0 * b1 + (middle & _LOW)
    return a1 * b1 + (middle >> _32) + (crossed >> _32), ((crossed & _LOW) << _32) | (lowest & _LOW)


@inline
def uniform_below(seed: np.uint64, worker: np.uint64, draw: np.uint64, size: np.uint64) -> tuple[np.uint64, np.uint64]:
    """(a uniform whole number in [0, size), the number of the next draw): floor(word size / 2^64), redrawn for
    fairness.

    A word is redrawn where word size mod 2^64 < 2^64 mod size (Lemire). For the same words the result grows with
    `size`, so that a larger bid is resampled to a larger one: common random numbers across bids.
    """
    unfair = (_ALL % size + _1) % size
    while True:
        high, low = wide_product(word(seed, COINS, worker, draw), size)
        draw += _1
        if low >= unfair:
            return high, draw


@inline
def resample_one(seed: np.uint64, worker: np.uint64, bid: int, cap: int, one_in: int) -> tuple[int, int]:
    """(x, y) for one worker. Draw by draw: a word says whether to go on (0 of one_in), the next how far below the
    cap.
    """
    x = bid
    y = bid
    draw = _0
    while x < cap:
        stay, draw = uniform_below(seed, worker, draw, np.uint64(one_in))
        if stay != _0:
            break
        below, draw = uniform_below(seed, worker, draw, np.uint64(cap - x))
        moved = cap - int(below)
        if y == bid:
            y = moved
        x = moved
    return x, y


@inline
def bonus_of(bid: int, y: int, cap: int, one_in: int) -> int:
    """[y > b] (C - b) / g, what is added to the bid on every task."""
    return (cap - bid) * one_in if y > bid else 0


@kernel
def resample_kernel(
    seed: np.uint64,
    bids: NDArray[np.int64],
    cap: int,
    one_in: int,
    x: NDArray[np.int64],
    y: NDArray[np.int64],
    bonus: NDArray[np.int64],
) -> None:
    for i in range(len(bids)):
        x[i], y[i] = resample_one(seed, np.uint64(i), bids[i], cap, one_in)
        bonus[i] = bonus_of(bids[i], y[i], cap, one_in)


@dataclass(frozen=True, eq=False)
class Resampled:
    """x, what the allocation sees, and y, which decides the bonus; both in millionths, both at least the bid."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    bonus: NDArray[np.int64]


def resample(seed: int, bids: ArrayLike, cap: Money, one_in: int = DEFAULT_ONE_IN) -> Resampled:
    """Every worker's coins, drawn once before the first task. Worker i's depend on (seed, i) and its own bid alone."""
    check_seed(seed)
    check_one_in(one_in)
    checked = check_bids(bids, cap)
    x, y, bonus = np.empty_like(checked), np.empty_like(checked), np.empty_like(checked)
    resample_kernel(np.uint64(seed), checked, cap, one_in, x, y, bonus)
    return Resampled(x, y, bonus)


def own_coins(seed: int, worker: int, bid: Money, cap: Money, one_in: int = DEFAULT_ONE_IN) -> tuple[Money, Money]:
    """(x, y) of one worker, as it would check them itself: from the revealed seed, its index and its own bid."""
    check_seed(seed)
    check_one_in(one_in)
    if isinstance(worker, bool) or not isinstance(worker, int) or not 0 <= worker < 2**32:
        raise InvalidInput(f"worker {worker!r} is not an index from 0 to 2^32 - 1; workers are counted from 0")
    checked = check_bids([bid], cap)
    x, y = _own_kernel(np.uint64(seed), np.uint64(worker), int(checked[0]), cap, one_in)
    return int(x), int(y)


@kernel
def _own_kernel(seed: np.uint64, worker: np.uint64, bid: int, cap: int, one_in: int) -> tuple[int, int]:
    return resample_one(seed, worker, bid, cap, one_in)


def commitment(seed: int, salt: bytes) -> str:
    """SHA-256 of the seed (8 bytes, most significant first) followed by the salt, in hexadecimal: published first."""
    check_seed(seed)
    if len(salt) < SHORTEST_SALT:
        raise InvalidInput(
            f"a salt of {len(salt)} bytes could be guessed, and the seed with it; "
            f"use at least {SHORTEST_SALT} random bytes"
        )
    return hashlib.sha256(seed.to_bytes(SEED_BYTES, "big") + salt).hexdigest()


@dataclass(frozen=True)
class Reveal:
    """What the requester publishes at the end."""

    seed: int
    salt: bytes

    @property
    def commitment(self) -> str:
        return commitment(self.seed, self.salt)

    def matches(self, published: str) -> bool:
        """Whether this is the seed that was committed to."""
        return self.commitment == published.strip().lower()


def check_one_in(one_in: int) -> None:
    if isinstance(one_in, bool) or not isinstance(one_in, int) or not 2 <= one_in <= LARGEST_ONE_IN:
        raise InvalidInput(
            f"one_in {one_in!r} is not a whole number from 2 to {LARGEST_ONE_IN}; one bid in so many is resampled "
            f"(g = 1 / one_in), and 5 to 10 keeps the mean cost within 1%"
        )
