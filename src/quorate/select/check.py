"""Checks a selection's certificate with Python's integers, sharing no code with the selectors (MATHS 4).

An exact selection's certificate holds relaxations (see `relaxation`), of the knapsack with its values cut at the
requirement and counted in their common divisor. For each one: recompute the reduced costs in
integers; a better jury would flip, against the base jury, workers whose reduced costs sum to at most the gap between
the selection's cost and the bound. Those workers are split in two halves, all parts of each half within the gap are
listed, dominated ones dropped, and the best pair is found: it must not beat the selection. Together the relaxations
must cover all juries. The work grows with the number of parts: usually thousands, but where prices are strongly
correlated with values there are millions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd

import numpy as np
from numpy.typing import NDArray

from quorate.select.knapsack import Certificate, Knapsack, Selection

Ints = NDArray[np.int64]

# Above this many parts of a half, a certificate is reported as not checked.
MOST_PARTS = 2_000_000
# Sums of a few hundred reduced costs, as floats relative to the gap, are off by far less than this.
SLACK = 1e-9


@dataclass(frozen=True)
class _Relaxation:
    """One row of a certificate, in exact numbers, about juries of at most (-1), exactly (0) or at least (1) so many."""

    sense: int
    size: int
    lam: Fraction
    mu: Fraction
    scale: Fraction

    @property
    def valid(self) -> bool:
        return self.lam >= 0 and self.scale >= 0 and self.sense in (-1, 0, 1) and self.mu * self.sense >= 0


@dataclass(frozen=True)
class _Parts:
    """Undominated parts of a jury by falling value and cost: what they change, and their share of the gap."""

    value: Ints
    price: Ints
    key: Ints
    share: NDArray[np.float64]


def check(knapsack: Knapsack, selection: Selection, most_parts: int = MOST_PARTS) -> tuple[str, ...]:
    """Why the selection is not proved to be what its certificate says; nothing if it is."""
    if not selection.feasible:
        enough = sum(knapsack.values.tolist()) >= knapsack.requirement
        return ("the workers' values together reach the requirement, so some jury is feasible",) if enough else ()
    if selection.certificate is None:
        return ("the selection has no certificate",)
    members = list(selection.members)
    if members != sorted(set(members)) or (members and not 0 <= members[0] <= members[-1] < len(knapsack)):
        return (f"members {members} are not different workers in ascending order",)
    if sum(knapsack.values[members].tolist()) < knapsack.requirement:
        return ("the jury's values do not reach the requirement",)
    if sum(knapsack.prices[members].tolist()) != selection.price:
        return (f"the price {selection.price} is not the sum of the members' prices",)
    if selection.certificate.lower_bound > selection.price:
        return ("the lower bound is above the price",)
    if selection.certificate.kind == "relaxation":
        return tuple(_unrelaxed(knapsack, selection.certificate))
    if selection.certificate.lower_bound != selection.price:
        return ("the lower bound is below the price",)
    return tuple(_unproved(knapsack, selection, most_parts))


def _unrelaxed(knapsack: Knapsack, certificate: Certificate) -> Iterator[str]:
    """The bound against the linear relaxation's optimum, in fractions."""
    left = max(0, knapsack.requirement)
    optimum = Fraction(0)
    workers = [
        (Fraction(p, v), p, v) for p, v in zip(knapsack.prices.tolist(), knapsack.values.tolist(), strict=True) if v
    ]
    for ratio, price, value in sorted(workers):
        if value >= left:
            optimum += ratio * left
            break
        optimum += price
        left -= value
    if certificate.lower_bound > -(-optimum // 1):
        yield "the lower bound is above the linear relaxation"


def _unproved(knapsack: Knapsack, selection: Selection, most_parts: int) -> Iterator[str]:
    """What is missing from the proof of an exact selection."""
    if knapsack.requirement <= 0:
        if selection.members:
            yield "nobody is needed, but somebody was chosen"
        return
    knapsack, selection = _without_needless(_tightened(knapsack), selection)
    assert selection.certificate is not None
    rows = [
        _Relaxation(int(row[0]), int(row[1]), *(Fraction(number) for number in row[2:]))
        for row in selection.certificate.relaxations
    ]
    if not all(row.valid for row in rows):
        yield "a relaxation's multipliers have the wrong sign"
        return
    yield from _uncovered(knapsack, rows)
    for row in rows:
        yield from _beaten(knapsack, selection, row, most_parts)


def _tightened(knapsack: Knapsack) -> Knapsack:
    """The same juries are feasible: values are cut at the requirement, and both counted in the values' divisor."""
    unit = max(1, gcd(*(value for value in knapsack.values.tolist() if value < knapsack.requirement)))
    requirement = -(-knapsack.requirement // unit)
    values = np.where(knapsack.values < knapsack.requirement, knapsack.values // unit, requirement)
    return replace(knapsack, values=values, requirement=requirement)


def _without_needless(knapsack: Knapsack, selection: Selection) -> tuple[Knapsack, Selection]:
    """The members, and those who are needed: whose betters (no dearer by price, key and position, and worth no less)
    miss the requirement together.

    Some best jury has, with each member, all who are better; so it can do without those whose betters suffice.
    """
    order = np.lexsort((knapsack.keys, knapsack.prices))
    values = knapsack.values[order]
    stays = np.zeros(len(order), dtype=np.bool_)
    stays[list(selection.members)] = True
    for place, worker in enumerate(order.tolist()):
        before = values[:place]
        stays[worker] |= int(before[before >= values[place]].sum()) < knapsack.requirement
    left = np.flatnonzero(stays)
    fewer = Knapsack(knapsack.prices[left], knapsack.values[left], knapsack.requirement, knapsack.keys[left])
    return fewer, replace(selection, members=tuple(np.searchsorted(left, selection.members).tolist()))


def _uncovered(knapsack: Knapsack, rows: Sequence[_Relaxation]) -> Iterator[str]:
    """Sizes of juries, and prices or ties, that no relaxation is about.

    A relaxation with keys covers cheaper juries if all keys weigh less than a millionth, and always ties; one without
    keys covers cheaper juries only.
    """
    keys = sum(knapsack.keys.tolist())
    cheaper = {(row.sense, row.size) for row in rows if row.scale * keys < 1}
    ties = {(row.sense, row.size) for row in rows if row.scale > 0}
    workers = len(knapsack)
    sizes: set[int] = set()
    for sense, size in cheaper & ties:
        sizes |= set(range(0 if sense < 0 else size, (workers if sense > 0 else size) + 1))
    values = sorted((value for value in knapsack.values.tolist() if value), reverse=True)
    missing = [k for k in range(1, len(values) + 1) if k not in sizes and sum(values[:k]) >= knapsack.requirement]
    if missing:
        yield f"no relaxation covers juries of {', '.join(map(str, missing))} members"


def _beaten(knapsack: Knapsack, selection: Selection, row: _Relaxation, most_parts: int) -> Iterator[str]:
    """Whether a jury that the relaxation covers is better than the selection."""
    unit = max(row.lam.denominator, row.mu.denominator, row.scale.denominator)
    lam, mu, scale = (int(number * unit) for number in (row.lam, row.mu, row.scale))
    prices, values, keys = knapsack.prices.tolist(), knapsack.values.tolist(), knapsack.keys.tolist()
    workers = [i for i in range(len(values)) if values[i] > 0]
    reduced = {i: prices[i] * unit - lam * values[i] - mu + scale * keys[i] for i in workers}
    members = {i for i in selection.members if values[i] > 0}
    gap = sum(max(0, reduced[i]) if i in members else max(0, -reduced[i]) for i in workers)
    gap += lam * (sum(values[i] for i in members) - knapsack.requirement) + mu * (len(members) - row.size)
    if not row.scale:
        # Only juries that are cheaper, by a millionth at least, are of interest.
        gap -= unit
    if gap < 0:
        return
    base = {i for i in workers if reduced[i] < 0}
    core = sorted((i for i in workers if abs(reduced[i]) <= gap), key=lambda i: abs(reduced[i]))
    flips = [(-1 if i in base else 1, i, abs(reduced[i]) / gap if gap else 0.0) for i in core]
    halves = []
    for half in (flips[0::2], flips[1::2]):
        parts = _parts(knapsack, half, most_parts)
        if parts is None:
            yield f"not checked: {len(core)} workers are near the bound, which makes more than {most_parts} parts"
            return
        halves.append(parts)
    need = knapsack.requirement - sum(values[i] for i in base)
    found = _cheapest(halves[0], halves[1], need)
    if found is None:
        return
    price = found[0] + sum(prices[i] for i in base)
    key = found[1] + sum(keys[i] for i in base)
    if (price, key) < (selection.price, sum(keys[i] for i in selection.members)):
        yield f"a jury of price {price} and key sum {key} is better"


def _parts(knapsack: Knapsack, flips: Sequence[tuple[int, int, float]], most_parts: int) -> _Parts | None:
    """The undominated sets of flips whose shares of the gap sum to at most 1; nothing if there are too many."""
    nothing = np.zeros(1, dtype=np.int64)
    parts = _Parts(nothing, nothing, nothing, np.zeros(1))
    for sign, worker, share in flips:
        kept = parts.share + share <= 1.0 + SLACK
        value, price, key = (
            np.concatenate((before, before[kept] + sign * int(change[worker])))
            for before, change in (
                (parts.value, knapsack.values),
                (parts.price, knapsack.prices),
                (parts.key, knapsack.keys),
            )
        )
        parts = _undominated(_Parts(value, price, key, np.concatenate((parts.share, parts.share[kept] + share))))
        if len(parts.value) > most_parts:
            return None
    return parts


def _undominated(parts: _Parts) -> _Parts:
    """Those with less (price, key) than every part of as much value or more."""
    by_cost = np.lexsort((-parts.value, parts.key, parts.price))
    rank = np.empty(len(by_cost), dtype=np.int64)
    rank[by_cost] = np.arange(len(by_cost))
    order = np.lexsort((rank, -parts.value))
    ranks = rank[order]
    kept = order[np.concatenate((np.array([True]), ranks[1:] < np.minimum.accumulate(ranks)[:-1]))]
    return _Parts(parts.value[kept], parts.price[kept], parts.key[kept], parts.share[kept])


def _cheapest(left: _Parts, right: _Parts, need: int) -> tuple[int, int] | None:
    """The least (price, key) of two parts that together bring the value needed."""
    # Values fall: the last one that is large enough belongs to the cheapest partner.
    partner = np.searchsorted(-right.value, left.value - need, side="right") - 1
    able = partner >= 0
    if not able.any():
        return None
    price = left.price[able] + right.price[partner[able]]
    key = left.key[able] + right.key[partner[able]]
    best = np.lexsort((key, price))[0]
    return int(price[best]), int(key[best])
