"""What an interval is: the qualities that the revealed truths leave plausible (paper, section 4.1; MATHS 3)."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@runtime_checkable
class Interval(Protocol):
    """Bounds on a worker's quality after `asked` revealed truths, of which it was right on `right`.

    Contract (checked by `quorate.testing.IntervalContract`):
    - `bounds` returns (lower, upper) within [floor, 1], lower <= upper, both non-decreasing in `right`; [floor, 1]
      for a worker never asked;
    - with `level` = mu / n each worker's interval misses with probability at most `level`: at any one fixed round, or,
      where `anytime` is true, at any round at all, so that a data-dependent stopping time is covered;
    - a value of `right` and `asked` alone: the same counts give the same bounds, to the bit.
    """

    @property
    def name(self) -> str: ...

    @property
    def anytime(self) -> bool: ...

    def bounds(self, right: Counts, asked: Counts, level: float, floor: float) -> tuple[Floats, Floats]: ...


def check_counts(right: Counts, asked: Counts, level: float, floor: float) -> None:
    """What every interval hands to compiled code: whole counts, right no more than asked, and chances."""
    if right.dtype.kind not in "iu" or asked.dtype.kind not in "iu" or right.shape != asked.shape:
        raise InvalidInput(
            f"counts have types {right.dtype} and {asked.dtype} and shapes {right.shape} and {asked.shape}; "
            f"give whole numbers, one right and one asked for each worker"
        )
    if right.min(initial=0) < 0 or (right > asked).any():
        worker = int(np.argmax((right < 0) | (right > asked)))
        raise InvalidInput(
            f"worker {worker} was right on {right[worker]} of {asked[worker]} answers; right must be from 0 to asked"
        )
    if not 0.0 < level < 1.0:
        raise InvalidInput(f"level {level} is not strictly between 0 and 1; it is mu / n, such as 0.1 / 1100")
    if not 0.0 <= floor < 1.0:
        raise InvalidInput(f"floor {floor} is not in [0, 1); it is where qualities begin, such as 0.5")


def nest(lower: Floats, upper: Floats, new_lower: Floats, new_upper: Floats) -> tuple[Floats, Floats]:
    """I_t = I_{t-1} intersected with the new interval; where that is empty, I_{t-1} stays (MATHS 3)."""
    low = np.maximum(lower, new_lower)
    high = np.minimum(upper, new_upper)
    empty = low > high
    return np.where(empty, lower, low), np.where(empty, upper, high)
