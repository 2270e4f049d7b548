"""A case through the small-world kernels: what `replay` gives by the plain policies, thousands of times faster."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.runs import rounds_of, run_grid_kernel
from quorate.mechanism.audit.tables import MOST_WORKERS, Scale, World
from quorate.mechanism.audit.variant import requirements_of, rule_of, scale_of
from quorate.mechanism.audit.worlds import pack
from quorate.model.philox import tie_keys
from quorate.policy import Assured


@dataclass(frozen=True, eq=False)
class SmallRun:
    """Per bid of the grid: tasks of each worker, rounds explored, the last jury as a mask (-1: exploration never
    ends).
    """

    tasks: NDArray[np.int64]
    explored: NDArray[np.int64]
    juries: NDArray[np.int64]


def world_of(case: Case) -> World:
    """The case as the kernels take it."""
    if case.workers > MOST_WORKERS:
        raise InvalidInput(
            f"{case.workers} workers do not fit a small world of at most {MOST_WORKERS}; replay the case plainly"
        )
    policy = case.build()
    certain, hoped = requirements_of(policy)
    bids = np.zeros(MOST_WORKERS, dtype=np.int64)
    keys = np.zeros(MOST_WORKERS, dtype=np.int64)
    bids[: case.workers] = case.bids
    keys[: case.workers] = tie_keys(case.seed, case.workers)
    return World(
        workers=case.workers,
        vary=case.vary,
        cap=case.cap,
        horizon=case.horizon,
        bids=bids,
        keys=keys,
        rows=pack(case.rows),
        certain=certain,
        hoped=hoped,
        target=policy.problem.target,
        max_size=case.max_size,
        kappa_top=case.kappa.numerator,
        kappa_bottom=case.kappa.denominator,
        pool=case.workers if case.pool is None else case.pool,
        rule=rule_of(case.policy, case.selector, case.stopping),
        eliminates=case.eliminates and case.policy == Assured.name,
        nested=case.policy == Assured.name,
    )


def run_small(case: Case, scale: Scale | None = None) -> SmallRun:
    """Every bid of the grid. A `scale` of the same error model, interval and mu, and no shorter horizon, saves time."""
    world = world_of(case)
    table = scale_of(case.build()) if scale is None else scale
    tasks = np.empty((len(case.grid), case.workers), dtype=np.int64)
    explored, juries = np.empty(len(case.grid), dtype=np.int64), np.empty(len(case.grid), dtype=np.int64)
    run_grid_kernel(world, table, rounds_of(world, table), case.grid, tasks, explored, juries)
    return SmallRun(tasks, explored, juries)
