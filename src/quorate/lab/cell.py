"""One cell: its samples, one row each. A pure function of the cell, so it may run anywhere and be repeated.

Only `run_cell` reads a clock, and what it reads never enters a row.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.engine import Run, run
from quorate.engine.result import from_play
from quorate.errors import QuorateError
from quorate.lab.parameter import values
from quorate.lab.payment import settle
from quorate.lab.seeds import Seeds
from quorate.lab.study import Cell
from quorate.lab.versions import versions
from quorate.lab.world import World
from quorate.mechanism import PAYMENTS, pair
from quorate.model.philox import tie_keys
from quorate.policy.base import Phase, Policy
from quorate.policy.play import play
from quorate.select.base import SELECTORS

Row = dict[str, Any]


@dataclass(frozen=True)
class CellResult:
    """Rows in the order of the samples, and how long they took (which no row says: it would differ from run to run)."""

    key: str
    rows: list[Row]
    seconds: float


def run_cell(cell: Cell, expected: dict[str, str]) -> CellResult:
    """The cell's rows; refuses to run under other versions than the study was begun with: numbers could differ."""
    here = versions()
    if here != expected:
        differing = ", ".join(
            f"{name} {here[name]} (not {expected[name]})" for name in here if here[name] != expected[name]
        )
        raise QuorateError(f"a worker process runs {differing}; install the same versions on every machine")
    start = time.perf_counter()
    rows = [sample_row(cell, sample) for sample in range(cell.first, cell.last)]
    return CellResult(cell.key, rows, time.perf_counter() - start)


def sample_row(cell: Cell, sample: int) -> Row:
    """Everything that is kept of one sample. Money in millionths."""
    seeds = Seeds.of(cell.seed, sample)
    world = cell.world.draw(seeds.world)
    problem = cell.promise.problem(world.cap)
    policy = cell.policy.build(problem, seeds.coins)
    happened, wrong = _run(policy, world, seeds)
    greedy, exact = (_reference(name, policy, world, seeds.ties) for name in ("greedy", "exact"))
    exploration = int(happened.exploration_counts @ world.prices)
    return {
        **{f"world.{name}": value for name, value in values(cell.world).items()},
        **{f"policy.{name}": value for name, value in values(cell.policy).items()},
        **values(cell.promise),
        "world": cell.world.name,
        "policy": policy.name,
        "cap": problem.cap,
        "sample": sample,
        "seed": cell.seed,
        "world_seed": seeds.world,
        "realization_seed": seeds.realization,
        "total_cost": happened.total,
        "exploration_tasks": happened.explored,
        "exploration_cost": exploration,
        "exploitation_cost_per_task": _per_task(happened, exploration),
        "stop": happened.stop,
        "jury_size": len(happened.jury),
        "model_violations": happened.model_violations,
        "vote_violations": happened.vote_violations if world.independent else None,
        "vote_violations_then": happened.vote_violations_then if world.independent else None,
        "wrong_verdicts": wrong,
        "greedy_cost_per_task": greedy,
        "exact_cost_per_task": exact,
        "regret_greedy": None if greedy is None else happened.total - problem.horizon * greedy,
        "regret_exact": None if exact is None else happened.total - problem.horizon * exact,
        **_payments(cell, policy, world, seeds, happened),
    }


def _payments(cell: Cell, policy: Policy, world: World, seeds: Seeds, plain: Run) -> Row:
    """What is paid under each rule, what the work so paid costs its workers, and whether truth is then a best bid."""
    realization = world.realization(seeds.realization)
    row: Row = {}
    for name in cell.payments:
        payment = PAYMENTS[name]
        row[f"payment.{name}.truthful"] = pair(policy, payment).truthful
        settled = settle(policy, payment, world, realization, seeds, plain)
        row[f"payment.{name}"] = settled.settlement.spend
        row[f"payment.{name}.cost"] = settled.cost(world.prices)
    return row


def _run(policy: Policy, world: World, seeds: Seeds) -> tuple[Run, int | None]:
    """The run, and where errors depend on each other the number of wrong verdicts in exploitation.

    There the exact error of a vote, which is computed from the qualities alone, would not be the vote's error.
    """
    realization = world.realization(seeds.realization)
    if world.independent:
        return run(policy, realization, world.prices, seed=seeds.ties, qualities=world.qualities), None
    played = play(policy, realization, world.prices, seed=seeds.ties, qualities=world.qualities)
    promised = np.array([phase is Phase.EXPLOIT for phase in played.phases])
    return from_play(played), int(np.count_nonzero(promised & ~played.verdicts_right))


def _per_task(happened: Run, exploration: int) -> float | None:
    """The mean price of an exploitation task, None where there is none."""
    tasks = len(happened.spend) - happened.explored
    return None if tasks == 0 else (happened.total - exploration) / tasks


def _reference(selector: str, policy: Policy, world: World, ties: int) -> int | None:
    """The price per task of the jury chosen on the true qualities at 1 - alpha: what regret is measured against.

    None where no jury meets the target, or where the error model is not additive, which both selectors need.
    """
    constraint = policy.pessimistic
    if not constraint.additive:
        return None
    keys = tie_keys(ties, len(world))
    best = SELECTORS[selector].select(world.prices, world.qualities, constraint, keys, optimistic=False)
    return best.price if best.feasible else None
