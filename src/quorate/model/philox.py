"""Philox 4x32-10: a counter-based generator (Salmon, Moraes, Dror and Shaw, SC 2011).

A random word is a pure function of (key, counter), so any entry of a random field can be computed alone, in any
order, on any machine. All arithmetic is on uint64 variables that hold 32-bit values: no product overflows.
"""

import numpy as np

from quorate._jit import inline, kernel
from quorate.model.problem import check_seed

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_11 = np.uint64(11)
_16 = np.uint64(16)
ROUNDS = 10

# Streams keep uses of one seed apart: the same worker and task never share a word between them. All of them are here.
ANSWERS = np.uint64(0)
TRUTHS = np.uint64(1)
KEYS = np.uint64(2)
EXPLORE = np.uint64(3)
COINS = np.uint64(4)
WORLD = np.uint64(5)
CHECKS = np.uint64(6)
DIFFICULTY = np.uint64(64)
FOLLOWS = np.uint64(65)
OWN = np.uint64(66)
DRAWN_TASK = np.uint64(67)


@inline
def philox(
    seed: np.uint64, c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Ten rounds on the counter (c0, c1, c2, c3) under the 64-bit key `seed`; four 32-bit words."""
    k0 = seed & _LOW
    k1 = seed >> _32
    for _ in range(ROUNDS):
        p0 = _M0 * c0
        p1 = _M1 * c2
        c0, c1, c2, c3 = (p1 >> _32) ^ c1 ^ k0, p1 & _LOW, (p0 >> _32) ^ c3 ^ k1, p0 & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@inline
def word(seed: np.uint64, stream: np.uint64, i: np.uint64, j: np.uint64) -> np.uint64:
    """One 64-bit word for entry (i, j) of a stream; i and j below 2^32."""
    a, b, _, _ = philox(seed, i, j, np.uint64(0), stream)
    return (a << _32) | b


@inline
def uniform(seed: np.uint64, stream: np.uint64, i: np.uint64, j: np.uint64) -> float:
    """A uniform number on the 2^53 grid of [0, 1)."""
    return float(word(seed, stream, i, j) >> _11) * (1.0 / 9007199254740992.0)


@kernel
def tie_keys_kernel(seed: np.uint64, out: np.ndarray) -> None:
    """48-bit keys: sums over 10^5 workers stay inside 64 bits."""
    for i in range(len(out)):
        out[i] = np.int64(word(seed, KEYS, np.uint64(i), np.uint64(0)) >> _16)


def tie_keys(seed: int, workers: int) -> np.ndarray:
    """Random keys in [0, 2^48) that break exact ties without looking at bids (MATHS 4)."""
    out = np.empty(workers, dtype=np.int64)
    tie_keys_kernel(np.uint64(check_seed(seed)), out)
    return out
