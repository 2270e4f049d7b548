"""Random small worlds: a pure function of (seed, number), so that any of them can be made again alone.

Three to six workers; bids of whole units from 0 to the cap, in half of the worlds even, so that odd bids lie strictly
between the points where decisions change; qualities from 1/2 to 1, in some rows changing midway, since ex-post claims
are about every realization, likely or not.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.errors import InvalidInput
from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.tables import MOST_WORKERS, Scale, World
from quorate.mechanism.audit.variant import LARGEST_BID, Variant, requirements_of, scale_of
from quorate.model.philox import KEYS, WORLD, word
from quorate.model.realization import DIGITS, LANES, answer_lanes
from quorate.policy import Assured

LEAST_WORKERS = 3
# Qualities are multiples of 1/40 from 1/2 to 1.
STEPS = 20
# One row in so many changes its quality midway.
CHANGING = 6
_1 = np.uint64(1)
_0 = np.uint64(0)
_16 = np.uint64(16)
_32 = np.uint64(32)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Plan(NamedTuple):
    """What all worlds of a variant share, for the kernel: the menus' numbers, one entry each."""

    certain: NDArray[np.int64]
    hoped: NDArray[np.int64]
    target: NDArray[np.float64]
    kappa_top: NDArray[np.int64]
    kappa_bottom: NDArray[np.int64]
    horizon: int
    max_size: int
    unit: int
    pooled: bool
    rule: int
    eliminates: bool
    nested: bool


@dataclass(frozen=True, eq=False)
class Family:
    """A variant, ready to be audited."""

    variant: Variant
    plan: Plan
    scale: Scale


def family(variant: Variant) -> Family:
    """Tabulate everything once; the constraints and intervals are those of the real policy."""
    menus = variant.menus()
    bare = _bare_case(variant)
    policies = [variant.fill(bare, menu, None).build() for menu in menus]
    plan = Plan(
        certain=np.array([requirements_of(policy)[0] for policy in policies], dtype=np.int64),
        hoped=np.array([requirements_of(policy)[1] for policy in policies], dtype=np.int64),
        target=np.array([policy.problem.target for policy in policies]),
        kappa_top=np.array([menu.kappa.numerator for menu in menus], dtype=np.int64),
        kappa_bottom=np.array([menu.kappa.denominator for menu in menus], dtype=np.int64),
        horizon=variant.tasks,
        max_size=bare.max_size,
        unit=variant.unit,
        pooled=variant.pool,
        rule=variant.rule,
        eliminates=variant.eliminates and variant.policy == Assured.name,
        nested=isinstance(policies[0], Assured),
    )
    return Family(variant, plan, scale_of(policies[0]))


def _bare_case(variant: Variant) -> Case:
    """A case of the right horizon whose parameters are still to be filled in."""
    rows = np.zeros((LEAST_WORKERS, variant.tasks), dtype=np.bool_)
    bids = np.zeros(LEAST_WORKERS, dtype=np.int64)
    menu = variant.menus()[0]
    return Case(bids=bids, cap=variant.cap, rows=rows, vary=0, grid=bids[:1], requirement=menu.level)


@inline
def _below(seed: np.uint64, number: np.uint64, entry: int, size: int) -> int:
    """A draw from 0..size - 1 for one entry of one world; the bias of 2^-32 is of no account here."""
    drawn = word(seed, WORLD, number, np.uint64(entry)) >> _32
    return int((drawn * np.uint64(size)) >> _32)


@inline
def _fill_row(
    seed: np.uint64, number: np.uint64, own: np.uint64, worker: int, horizon: int, rows: NDArray[np.uint64]
) -> None:
    """Who is right when: a quality, and in some rows another one from some task on."""
    entry = 100 + 10 * worker
    first = STEPS + _below(seed, number, entry, STEPS + 1)
    then = first
    change = 0
    if _below(seed, number, entry + 1, CHANGING) == 0:
        then = _below(seed, number, entry + 2, 2 * STEPS + 1)
        change = _below(seed, number, entry + 3, horizon)
    scale = (_1 << np.uint64(DIGITS)) // np.uint64(2 * STEPS)
    for block in range(rows.shape[1]):
        early = _0
        for lane in range(LANES):
            if then == first or block * LANES + lane < change:
                early |= _1 << np.uint64(lane)
        rows[worker, block] = answer_lanes(own, np.uint64(worker), np.uint64(block), np.uint64(first) * scale, early)
        if early != _ALL:
            rows[worker, block] |= answer_lanes(
                own, np.uint64(worker), np.uint64(block), np.uint64(then) * scale, ~early
            )


@kernel
def draw_world(seed: np.uint64, number: int, plan: Plan) -> tuple[World, int, np.uint64]:
    """(world, which menu, the seed of its tie keys)."""
    which = np.uint64(number)
    own = word(seed, WORLD, which, _0)
    workers = LEAST_WORKERS + _below(seed, which, 1, MOST_WORKERS - LEAST_WORKERS + 1)
    vary = _below(seed, which, 2, workers)
    menu = _below(seed, which, 3, len(plan.certain))
    step = 1 + _below(seed, which, 4, 2)
    pool = workers
    if plan.pooled:
        pool = 1 + _below(seed, which, 5, workers)
    bids = np.zeros(MOST_WORKERS, np.int64)
    keys = np.zeros(MOST_WORKERS, np.int64)
    rows = np.zeros((MOST_WORKERS, (plan.horizon + LANES - 1) // LANES), np.uint64)
    for i in range(workers):
        bids[i] = step * _below(seed, which, 10 + i, LARGEST_BID // step + 1) * plan.unit
        keys[i] = np.int64(word(own, KEYS, np.uint64(i), _0) >> _16)
        _fill_row(seed, which, own, i, plan.horizon, rows)
    world = World(
        workers, vary, LARGEST_BID * plan.unit, plan.horizon, bids, keys, rows, plan.certain[menu], plan.hoped[menu],
        plan.target[menu], plan.max_size, plan.kappa_top[menu], plan.kappa_bottom[menu], pool, plan.rule,
        plan.eliminates, plan.nested,
    )  # fmt: skip
    return world, menu, own


def world_case(audited: Family, seed: int, number: int) -> Case:
    """World `number` written out as a case, with the whole grid of bids."""
    if not 0 <= number < 2**32:
        raise InvalidInput(f"world {number} is not in [0, 2^32); use another seed for more worlds")
    variant = audited.variant
    world, menu, own = draw_world(np.uint64(seed), number, audited.plan)
    case = Case(
        bids=world.bids[: world.workers].copy(),
        cap=int(world.cap),
        rows=unpack(world.rows[: world.workers], variant.tasks),
        vary=int(world.vary),
        grid=full_grid(variant),
        requirement=variant.menus()[0].level,
        seed=int(own),
    )
    return variant.fill(case, variant.menus()[menu], int(world.pool) if variant.pool else None)


def full_grid(variant: Variant) -> NDArray[np.int64]:
    """Every bid of a world's varied worker, from 0 to the cap."""
    return np.arange(LARGEST_BID + 1, dtype=np.int64) * variant.unit


def unpack(rows: NDArray[np.uint64], horizon: int) -> NDArray[np.bool_]:
    """Rows of 64-task words as rows of booleans."""
    bits = np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1, bitorder="little")
    return np.ascontiguousarray(bits[:, :horizon].astype(np.bool_))


def pack(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The reverse, padded to six rows."""
    workers, horizon = rows.shape
    blocks = (horizon + LANES - 1) // LANES
    bits = np.zeros((MOST_WORKERS, blocks * LANES), dtype=np.uint8)
    bits[:workers, :horizon] = rows
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
