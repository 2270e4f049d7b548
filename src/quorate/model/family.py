"""A family of juries fixed in advance: every odd size up to a largest, judged as wholes (MATHS 7).

No jury's certificate assumes anything of how its members' errors depend on each other: its own verdicts on the
tasks that all its members answered are independent draws of its own accuracy. The price is a union bound over the
family.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput

# Membership is a 64-bit mask, and every jury is looked at after every truth.
MOST_WORKERS = 64
MOST_JURIES = 2_000_000


def odd_sizes(workers: int, max_size: int) -> tuple[int, ...]:
    """1, 3, 5, ... up to max_size, and no more than there are workers."""
    return tuple(range(1, min(workers, max_size) + 1, 2))


def jury_level(mu: float, workers: int, size: int, max_size: int) -> float:
    """What one jury's certificate may miss: mu shared equally by the sizes, then by the C(n, s) juries of a size."""
    return mu / len(odd_sizes(workers, max_size)) / comb(workers, size)


@dataclass(frozen=True, eq=False)
class Family:
    """The juries of one size: members (one row a jury, increasing) and the same as bit masks.

    `part` is where they stand among the juries of all sizes, smallest size first.
    """

    size: int
    part: slice
    members: NDArray[np.int64]
    masks: NDArray[np.uint64]


def families(workers: int, max_size: int) -> tuple[Family, ...]:
    """Every jury of odd size up to max_size among `workers`, smallest size first."""
    if isinstance(max_size, bool) or not isinstance(max_size, int) or max_size < 1 or max_size % 2 == 0:
        raise InvalidInput(f"a largest jury of {max_size!r} is not odd and positive; majorities need odd ones: take 5")
    if workers > MOST_WORKERS:
        raise InvalidInput(
            f"a pool of {workers} is too many to judge juries as wholes; take at most {MOST_WORKERS} (--pool)"
        )
    juries = sum(comb(workers, size) for size in odd_sizes(workers, max_size))
    if juries > MOST_JURIES:
        raise InvalidInput(
            f"{workers} workers form {juries:,} juries of up to {max_size}, above {MOST_JURIES:,}; "
            f"take a smaller pool (--pool) or smaller juries"
        )
    return _families(workers, max_size)


@cache
def _families(workers: int, max_size: int) -> tuple[Family, ...]:
    found: list[Family] = []
    for size in odd_sizes(workers, max_size):
        members = np.array(list(combinations(range(workers), size)), dtype=np.int64)
        begin = found[-1].part.stop if found else 0
        found.append(Family(size, slice(begin, begin + len(members)), members, mask_of(members)))
    return tuple(found)


def mask_of(members: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Bit i is set for each member i, along the last axis."""
    return np.asarray(np.bitwise_or.reduce(np.uint64(1) << members.astype(np.uint64), axis=-1), dtype=np.uint64)
