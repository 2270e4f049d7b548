"""Lists of undominated parts of a jury, and the two things done to them: one more flip, and a join (see `core`).

A cost is the pair (price, key sum) in lexicographic order, held in two words: price * 2^4 plus the key sum's upper
bits, and the key sum's lower 62 bits. Ties between prices are decided exactly, and nothing overflows within the limits
of `Knapsack`. A list falls in value and so, dominated parts (no more value, no less cost) being dropped, in cost.
"""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline

LOW_BITS = 62
LOW_MASK = 2**62 - 1
HIGH_SHIFT = 4
LARGEST = 2**63 - 1
# Ends a list: below every value, and still below after a flip.
LEAST = -(2**62)

# What a part's flips change, the sum of their reduced costs, and the flip that made it (an entry of the history).
PART = np.dtype(
    [("value", np.int64), ("high", np.int64), ("low", np.int64), ("reduced", np.float64), ("origin", np.int64)]
)
# A part that passed its threshold; `origin` is twice that of the part it came from, plus 1 if the last flip is in it.
PASSED = np.dtype([("value", np.int64), ("high", np.int64), ("low", np.int64), ("origin", np.int64)])
# One flip on top of an earlier part: the entry that made that part, and the flip's place in the core.
FLIP = np.dtype([("origin", np.int32), ("place", np.int32)])
NOTHING = -1


@inline
def put(parts: NDArray[np.void], at: int, value: int, high: int, low: int, reduced: float, origin: int) -> None:
    """Write one part."""
    parts[at]["value"] = value
    parts[at]["high"] = high
    parts[at]["low"] = low
    parts[at]["reduced"] = reduced
    parts[at]["origin"] = origin


@inline
def grown(items: NDArray[np.void], used: int, room: int) -> NDArray[np.void]:
    """The same items with space for `room` more."""
    if used + room <= len(items):
        return items
    out = np.empty(2 * (used + room), items.dtype)
    for k in range(used):  # A slice assignment would compile its error messages, several seconds of them.
        out[k] = items[k]
    return out


@inline
def _before_flipped(part: np.void, other: np.void, flip: np.void) -> bool:
    """Whether a part goes before another with the flip, their values being equal: less cost, then less reduced cost."""
    low = other["low"] + flip["low"]
    high = other["high"] + flip["high"] + (low >> LOW_BITS)
    low &= LOW_MASK
    if part["high"] != high:
        return bool(part["high"] < high)
    if part["low"] != low:
        return bool(part["low"] < low)
    return bool(part["reduced"] <= other["reduced"] + flip["reduced"])


@inline
def extend(
    parts: NDArray[np.void],
    size: int,
    flip: np.void,
    place: int,
    window: NDArray[np.int64],
    limit: float,
    within: NDArray[np.void],
    farthest: float,
    passed: NDArray[np.void],
    count: int,
    past: NDArray[np.void],
    entry: int,
) -> tuple[int, int, int]:
    """parts[:size] with and without one more flip: those up to the limit to `within`, up to `farthest` to `passed`.

    Values outside the window are of no use. Of parts equal in value and cost the one with the smaller reduced cost
    stays. `passed` is written from `count` on, the history from `entry` on; returns the ends of the three. All three
    and `parts` need one space more than they use: a part is written before it is known where it belongs, since a branch
    on that would be mispredicted half the time, and so would one on which of the two lists comes next.
    """
    parts[size]["value"] = LEAST
    a = 0
    b = 0
    end = 0
    last_high = LARGEST
    last_low = LARGEST
    for _ in range(2 * size):
        value = parts[a]["value"]
        other = parts[b]["value"] + flip["value"]
        if value == other:
            flipped = 0 if _before_flipped(parts[a], parts[b], flip) else 1
        else:
            flipped = 1 if other > value else 0
        at = b if flipped else a
        a += 1 - flipped
        b += flipped
        low = parts[at]["low"] + (flip["low"] if flipped else 0)
        high = parts[at]["high"] + (flip["high"] if flipped else 0) + (low >> LOW_BITS)
        low &= LOW_MASK
        picked = other if flipped else value
        if picked < window[0]:
            break
        if picked > window[1] or high > last_high or (high == last_high and low >= last_low):
            continue
        last_high = high
        last_low = low
        reduced = parts[at]["reduced"] + (flip["reduced"] if flipped else 0.0)
        origin = parts[at]["origin"]
        passed[count]["value"] = picked
        passed[count]["high"] = high
        passed[count]["low"] = low
        passed[count]["origin"] = 2 * origin + flipped
        count += 1 if limit < reduced <= farthest else 0
        past[entry]["origin"] = origin
        past[entry]["place"] = place
        put(within, end, picked, high, low, reduced, entry if flipped else origin)
        kept = 1 if reduced <= limit else 0
        entry += kept & flipped
        end += kept
    return end, count, entry


@inline
def join(
    left: NDArray[np.void],
    start: int,
    stop: int,
    right: NDArray[np.void],
    size: int,
    need: int,
    best: NDArray[np.void],
    origins: NDArray[np.int64],
) -> bool:
    """Look for left[start:stop] and right[:size] that together bring the value needed and cost less than `best[0]`.

    If so, overwrite that and give the origins of both. Each left part's best partner is the last with enough value.
    """
    beaten = False
    b = size - 1
    for a in range(start, stop):
        want = need - left[a]["value"]
        while b >= 0 and right[b]["value"] < want:
            b -= 1
        if b < 0:
            break
        low = left[a]["low"] + right[b]["low"]
        high = left[a]["high"] + right[b]["high"] + (low >> LOW_BITS)
        low &= LOW_MASK
        if high < best[0]["high"] or (high == best[0]["high"] and low < best[0]["low"]):
            put(best, 0, left[a]["value"] + right[b]["value"], high, low, 0.0, NOTHING)
            origins[0] = left[a]["origin"]
            origins[1] = right[b]["origin"]
            beaten = True
    return beaten


@inline
def trace(past: NDArray[np.void], entry: int, flips: NDArray[np.int64], count: int) -> int:
    """Write the places that a part flips after flips[:count]; the new count."""
    while entry != NOTHING:
        flips[count] = past[entry]["place"]
        count += 1
        entry = past[entry]["origin"]
    return count
