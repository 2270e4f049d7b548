"""A violation made as small as it goes: fewer workers, fewer tasks, rounder numbers, and it must still fail.

Greedy and deterministic: each step proposes simpler cases in a fixed order and keeps the first that still fails, until
no step changes anything.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.small_run import run_small
from quorate.mechanism.audit.tables import Scale
from quorate.mechanism.audit.variant import scale_of
from quorate.money import MILLIONTHS
from quorate.policy import PAPER_POLICIES

Fails = Callable[[Case], bool]
ROUND_UNITS = (10, 5, 2, 1)
ROUND_SHARES = (Fraction(1), Fraction(0), Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))


def rise_in(case: Case, scale: Scale) -> tuple[int, int] | None:
    """Two bids of the grid, the higher of which gets the varied worker more tasks: the pair that differs most."""
    tasks = run_small(case, scale).tasks[:, case.vary]
    order = np.argsort(case.grid, kind="stable")
    best: tuple[int, int] | None = None
    most = 0
    for k, low in enumerate(order):
        for high in order[k + 1 :]:
            if tasks[high] - tasks[low] > most:
                most = int(tasks[high] - tasks[low])
                best = int(case.grid[low]), int(case.grid[high])
    return best


def shrink_rise(case: Case) -> Case:
    """The smallest case found in which raising the bid still gets its worker more tasks; its grid has two bids."""
    scale = scale_of(case.build())
    pair = rise_in(case, scale)
    if pair is None:
        return case
    return shrink(case.with_grid(list(pair)), lambda smaller: rise_in(smaller, scale) is not None)


def shrink(case: Case, fails: Fails) -> Case:
    """Try every step until none helps. The case itself must fail."""
    changed = True
    while changed:
        changed = False
        for step in (_fewer_workers, _fewer_tasks, _plainer, _rounder_money, _rounder_rows):
            better = _first_failing(step(case), fails)
            while better is not None:
                case, changed = better, True
                better = _first_failing(step(case), fails)
    return case


def _first_failing(candidates: Iterator[Case], fails: Fails) -> Case | None:
    return next((candidate for candidate in candidates if fails(candidate)), None)


def _fewer_workers(case: Case) -> Iterator[Case]:
    for gone in range(case.workers):
        if gone == case.vary or case.workers == 1:
            continue
        pool = case.pool
        if pool is not None and pool >= case.workers:
            pool = case.workers - 1
        yield replace(
            case,
            bids=np.delete(case.bids, gone),
            rows=np.delete(case.rows, gone, axis=0),
            vary=case.vary - (gone < case.vary),
            pool=pool,
        )


def _fewer_tasks(case: Case) -> Iterator[Case]:
    """Half of the tasks, then three quarters, ..., then one less."""
    less = case.horizon // 2
    while less > 0:
        yield replace(case, rows=np.ascontiguousarray(case.rows[:, : case.horizon - less]))
        less //= 2


def _plainer(case: Case) -> Iterator[Case]:
    """No slack, everybody takes part, no tie keys worth mentioning, kappa 0."""
    if case.slack:
        yield replace(case, slack=Decimal(0))
    if case.pool is not None:
        yield replace(case, pool=None)
    if case.seed:
        yield replace(case, seed=0)
    if case.kappa and case.policy not in PAPER_POLICIES:
        yield replace(case, kappa=Fraction(0))


def _rounder_money(case: Case) -> Iterator[Case]:
    """Every bid to a multiple of ten units, of five, of two, of one; rounder ones stay.

    Where a case averages over mode R's coins the grid is all of money, and stays.
    """
    places = [("bids", case.bids)] + ([("grid", case.grid)] if not case.averages else [])
    for where, amounts in places:
        for at, amount in enumerate(amounts.tolist()):
            if where == "bids" and at == case.vary:
                # The grid replaces it; the lower bid of the grid is as good as any.
                if amount != int(case.grid[0]):
                    yield replace(case, bids=_put(case.bids, at, int(case.grid[0])))
                continue
            for rounder in _rounder(amount, case.cap):
                yield _with_amount(case, where, at, rounder)


def _with_amount(case: Case, where: str, at: int, amount: int) -> Case:
    if where == "bids":
        return replace(case, bids=_put(case.bids, at, amount))
    # The true cost is one of the grid's bids, and moves with it.
    moved = amount if case.cost == int(case.grid[at]) else case.cost
    return replace(case, grid=_put(case.grid, at, amount), cost=moved)


def _rounder(amount: int, cap: int) -> Iterator[int]:
    for units in ROUND_UNITS:
        step = units * MILLIONTHS
        if amount % step == 0:
            return
        for near in (amount // step * step, -(-amount // step) * step):
            if 0 <= near <= cap:
                yield near


def _put(amounts: NDArray[np.int64], at: int, amount: int) -> NDArray[np.int64]:
    changed = amounts.copy()
    changed[at] = amount
    return changed


def _rounder_rows(case: Case) -> Iterator[Case]:
    """Each row as evenly spread right answers, at a round share: rho(t) = floor(t p) - floor((t-1) p)."""
    for worker in range(case.workers):
        now = case.rows[worker]
        known = [even_row(share, case.horizon) for share in _shares(now)]
        rank = next((k for k, row in enumerate(known) if np.array_equal(row, now)), len(known))
        for row in known[:rank]:
            rows = case.rows.copy()
            rows[worker] = row
            yield replace(case, rows=rows)


def _shares(row: NDArray[np.bool_]) -> Iterator[Fraction]:
    yield from ROUND_SHARES
    share = Fraction(int(row.sum()), len(row))
    for parts in (10, 20, 40):
        yield Fraction(round(share * parts), parts)


def even_row(share: Fraction, tasks: int) -> NDArray[np.bool_]:
    """rho(t) = floor(t p) - floor((t-1) p), t = 1, 2, ..., in exact arithmetic (MATHS 6)."""
    right = [int(t * share) - int((t - 1) * share) for t in range(1, tasks + 1)]
    return np.array(right, dtype=np.bool_)
