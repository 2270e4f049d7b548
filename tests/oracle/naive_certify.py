"""Certified juries by trying every jury, from MATHS 7: plain loops over plain booleans."""

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product


@cache
def binomial_tail(right: int, tasks: int, accuracy: float) -> float:
    """P(at least `right` of `tasks`) at this accuracy."""
    return math.fsum(
        math.comb(tasks, k) * accuracy**k * (1.0 - accuracy) ** (tasks - k) for k in range(right, tasks + 1)
    )


@cache
def lower_bound(right: int, tasks: int, level: float) -> float:
    """The accuracy at which `right` or more has probability `level`, by bisection."""
    if right == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2.0
        if binomial_tail(right, tasks, middle) <= level:
            low = middle
        else:
            high = middle
    return low


@dataclass(frozen=True)
class Juror:
    """A worker: its price, tie key, and per task None (no answer) or whether it was right."""

    price: int
    key: int
    right: tuple[bool | None, ...]


@dataclass(frozen=True)
class Tried:
    members: tuple[int, ...]
    price: int
    key: int
    accuracy: float
    right: int
    tasks: int


def votes(jurors: list[Juror], weights: list[float], rank: list[int]) -> tuple[int, int]:
    """(right, tasks) on the tasks that all answered; ties follow the member of smallest rank."""
    leader = rank.index(min(rank))
    right = tasks = 0
    for answers in zip(*(juror.right for juror in jurors), strict=True):
        if None in answers:
            continue
        tasks += 1
        margin = sum(w if ok else -w for w, ok in zip(weights, answers, strict=True))
        right += margin > 0 or (margin == 0 and bool(answers[leader]))
    return right, tasks


def majority_juries(pool: list[Juror], max_size: int, mu: float) -> list[Tried]:
    """Every odd size, the error probability split over sizes and over the juries of a size."""
    sizes = range(1, min(max_size, len(pool)) + 1, 2)
    return [
        tried(pool, members, mu / (len(sizes) * math.comb(len(pool), size)))
        for size in sizes
        for members in combinations(range(len(pool)), size)
    ]


def tried(
    pool: list[Juror],
    members: tuple[int, ...],
    level: float,
    weights: list[float] | None = None,
    rank: list[int] | None = None,
) -> Tried:
    jurors = [pool[i] for i in members]
    right, tasks = votes(jurors, weights or [1.0] * len(members), rank or list(range(len(members))))
    price, key = sum(j.price for j in jurors), sum(j.key for j in jurors)
    return Tried(members, price, key, lower_bound(right, tasks, level), right, tasks)


def independent_accuracy(qualities: list[float], *, majority: bool) -> float:
    """P(the verdict is right) by enumerating who is right: the majority, or the likelier of two complements."""

    def chance(right: tuple[bool, ...]) -> float:
        return math.prod(q if ok else 1.0 - q for ok, q in zip(right, qualities, strict=True))

    outcomes = list(product((False, True), repeat=len(qualities)))
    if majority:
        return math.fsum(chance(x) for x in outcomes if 2 * sum(x) > len(x))
    return math.fsum(max(chance(x), chance(tuple(not ok for ok in x))) for x in outcomes) / 2.0


def independent_juries(pool: list[Juror], max_size: int, mu: float, *, majority: bool) -> list[Tried]:
    """Worker by worker at mu / n, then every jury computed from the lower bounds."""
    counts = [[ok for ok in juror.right if ok is not None] for juror in pool]
    qualities = [lower_bound(sum(known), len(known), mu / len(pool)) for known in counts]
    juries = []
    for size in range(1, min(max_size, len(pool)) + 1, 2 if majority else 1):
        for members in combinations(range(len(pool)), size):
            chosen = [qualities[i] if majority else max(qualities[i], 0.5) for i in members]
            accuracy = independent_accuracy(chosen, majority=majority)
            price, key = sum(pool[i].price for i in members), sum(pool[i].key for i in members)
            juries.append(Tried(members, price, key, accuracy, 0, 0))
    return juries


def billionths(jury: Tried) -> int:
    return math.floor(jury.accuracy * 10**9)


def cheapest(juries: list[Tried], target: float) -> Tried | None:
    """The cheapest at `target`; ties to the more accurate, then the smaller key sum."""
    able = [jury for jury in juries if billionths(jury) >= round(target * 10**9)]
    return min(able, key=lambda j: (j.price, -billionths(j), j.key), default=None)


def frontier(juries: list[Tried]) -> list[tuple[int, int]]:
    """(price, certified billionths) of every jury that no other dominates, those certified at nothing left out."""
    points = {(jury.price, billionths(jury)) for jury in juries if billionths(jury) > 0}
    return sorted(
        (price, value)
        for price, value in points
        if not any(p <= price and v >= value and (p, v) != (price, value) for p, v in points)
    )
