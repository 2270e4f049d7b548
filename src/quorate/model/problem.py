"""The requester's problem (paper, section 3): what is promised, for how many tasks, at prices up to what."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput
from quorate.money import LARGEST, Money


def complement(share: float) -> float:
    """1 - share as its author would write it: the complement of .9 is .1, not .09999999999999998."""
    return float(1 - Decimal(str(share)))


@dataclass(frozen=True)
class Problem:
    """Promise: every verdict is right with probability at least `target`, surely `confidence`, over `horizon` tasks.

    `cap` is the highest bid allowed, in millionths. With `slack` (the paper's xi) the optimistic problem is solved at
    target + slack, while the pessimistic check stays at target.
    """

    target: float
    confidence: float
    horizon: int
    cap: Money
    slack: float = 0.0

    def __post_init__(self) -> None:
        if not _is_real(self.target) or not 0.5 < self.target < 1.0:
            raise InvalidInput(
                f"target {self.target!r} is not above 1/2 and below 1: a coin reaches 1/2 and nobody reaches 1; try 0.9"
            )
        if not _is_real(self.confidence) or not 0.0 < self.confidence < 1.0:
            raise InvalidInput(f"confidence {self.confidence!r} is not strictly between 0 and 1; try 0.95")
        if isinstance(self.horizon, bool) or not isinstance(self.horizon, int) or self.horizon < 1:
            raise InvalidInput(
                f"horizon {self.horizon!r} is not a whole number (an int) of at least 1: how many tasks are there?"
            )
        if isinstance(self.cap, bool) or not isinstance(self.cap, int) or not 0 <= self.cap <= LARGEST:
            raise InvalidInput(f"cap {self.cap!r} is not a whole number (an int) of millionths from 0 to {LARGEST}")
        if not _is_real(self.slack) or not 0.0 <= self.slack < self.alpha:
            raise InvalidInput(
                f"slack {self.slack!r} is not in [0, {self.alpha:g}): target + slack must stay below 1; "
                f"try {self.alpha / 2:g}"
            )

    @property
    def alpha(self) -> float:
        """The error allowed per verdict."""
        return complement(self.target)

    @property
    def mu(self) -> float:
        """The chance that the promise does not hold."""
        return complement(self.confidence)

    @property
    def optimistic_alpha(self) -> float:
        """alpha - xi: the error at which the optimistic problem is solved."""
        return float(Decimal(str(self.alpha)) - Decimal(str(self.slack)))


def _is_real(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _flat(given: ArrayLike, what: str) -> NDArray[Any]:
    """What was given as a flat array."""
    try:
        row = np.asarray(given)
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"the {what} are not a list of numbers; give one number per worker") from error
    if row.ndim != 1:
        raise InvalidInput(f"the {what} have {row.ndim} dimensions; give a flat list with one number per worker")
    return row


def _somebody(row: NDArray[Any], what: str) -> None:
    if len(row) == 0:
        raise InvalidInput(f"the pool of workers is empty (no {what} were given); there must be at least one worker")


def check_bids(bids: ArrayLike, cap: Money) -> NDArray[np.int64]:
    """The bids as int64 millionths; each from 0 to the cap, and at least one."""
    given = _flat(bids, "bids")
    _somebody(given, "bids")
    if given.dtype.kind not in "iu":
        fractional = given != np.floor(given) if given.dtype.kind == "f" else np.ones(len(given), dtype=np.bool_)
        worker = int(np.argmax(fractional))
        raise InvalidInput(
            f"worker {worker} bids {given[worker]!r}, and bids of type {given.dtype} are not whole millionths; "
            f"convert them with quorate.money.prices_to_millionths"
        )
    outside = np.flatnonzero((given < 0) | (given > cap))
    if len(outside):
        worker = int(outside[0])
        raise InvalidInput(
            f"worker {worker} bids {given[worker]}, outside [0, {cap}] (millionths); raise the cap or refuse the bid"
        )
    return np.ascontiguousarray(given, dtype=np.int64)


def check_qualities(qualities: ArrayLike, workers: int | None = None) -> NDArray[np.float64]:
    """Qualities as float64 in [0, 1], one per worker, and at least one."""
    row = _flat(qualities, "qualities")
    _somebody(row, "qualities")
    return as_qualities(row, workers)


def as_qualities(qualities: ArrayLike, workers: int | None = None) -> NDArray[np.float64]:
    """The same of a jury, which may be empty. Every decision comes by here: what is right costs two reductions."""
    row = _flat(qualities, "qualities")
    try:
        given = np.ascontiguousarray(row, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"qualities of type {row.dtype} are not numbers; give a number in [0, 1] each") from error
    if workers is not None and len(given) != workers:
        raise InvalidInput(f"{len(given)} qualities were given for {workers} workers; give one per worker")
    # Written so that NaN, which both reductions hand on, is refused.
    if not (given.min(initial=1.0) >= 0.0 and given.max(initial=0.0) <= 1.0):
        worker = int(np.argmax(~((given >= 0.0) & (given <= 1.0))))
        raise InvalidInput(
            f"worker {worker} has quality {given[worker]}, outside [0, 1]; a quality is the chance of a right answer"
        )
    return given


def check_seed(seed: int) -> int:
    """A seed is the 64-bit key of the counter-based generator."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise InvalidInput(f"seed {seed!r} is not a whole number in [0, 2^64); give one, such as 0")
    return int(seed)


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Worker names: at least one, none empty, no two alike."""
    if isinstance(names, str):
        raise InvalidInput(f"the names {names!r} are one text; give a list with one name per worker")
    if not names:
        raise InvalidInput("the pool of workers is empty; name at least one worker")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"a worker is named {name!r}; give every worker a text that is not empty")
        if name in seen:
            raise InvalidInput(f"worker {name!r} is named twice; names must differ")
        seen.add(name)
    return tuple(names)
