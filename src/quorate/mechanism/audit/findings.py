"""From a violating world to a small case that the plain policies confirm."""

from dataclasses import dataclass, replace

import numpy as np

from quorate._jit import kernel
from quorate.mechanism import Randomised
from quorate.mechanism.audit import checks
from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.expected import expect
from quorate.mechanism.audit.replay import Replay, replay
from quorate.mechanism.audit.runs import rounds_of
from quorate.mechanism.audit.search import CHECKS, Question, Violation
from quorate.mechanism.audit.shrink import shrink, shrink_rise
from quorate.mechanism.audit.small_run import run_small, world_of
from quorate.mechanism.audit.tables import Scale, World
from quorate.mechanism.audit.variant import scale_of
from quorate.mechanism.audit.worlds import family, world_case
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.money import show


@dataclass(frozen=True)
class Finding:
    """A world that fails, the smallest case made of it, and that case replayed by the plain policies and payments."""

    violation: Violation
    original: Case
    case: Case
    replayed: Replay

    @property
    def confirmed(self) -> bool:
        """Whether the plain policies fail too. If not, the audit's kernels are wrong."""
        return not self.replayed.monotone if self.case.payment is None else self.replayed.best_lie is not None

    @property
    def text(self) -> str:
        """One line for people."""
        if not self.confirmed:
            return f"world {self.violation.world} is not confirmed by the plain policies: the audit's kernels are wrong"
        worker, size = self.case.vary, f"{self.case.workers} workers, {self.case.horizon} tasks"
        lie = self.replayed.best_lie
        if lie is not None and self.case.cost is not None:
            average = " on average" if self.case.payment == Randomised.name else ""
            return (
                f"worker {worker} of cost {show(self.case.cost)} gains {show(round(lie.gain))}{average} by bidding "
                f"{show(lie.bid)} under {self.case.payment} ({size})"
            )
        low, high = self.replayed.rises[0]
        return (
            f"worker {worker} gets {low.tasks[worker]} tasks at {show(low.bid)} and {high.tasks[worker]} at "
            f"{show(high.bid)} ({size})"
        )


def investigate(question: Question, violation: Violation) -> Finding:
    """Write the world out, shrink it, replay it."""
    variant = replace(question.variant, unit=max(question.variant.unit, READABLE_UNIT))
    original = world_case(family(variant), question.seed, violation.world)
    if question.payment is None:
        case = shrink_rise(original)
        return Finding(violation, original, case, replay(case))
    scale_up = variant.unit // question.variant.unit
    cost, lie = violation.cost * scale_up, violation.lie * scale_up
    randomised = question.payment == Randomised.name
    # The coins move a bid to any higher one; without coins these two bids are all that matters.
    grid = list(range(min(cost, lie), variant.cap + 1, variant.unit)) if randomised else sorted({cost, lie})
    original = replace(
        original, payment=question.payment, cost=cost, one_in=question.one_in, grid=np.array(grid, dtype=np.int64)
    )
    scale = scale_of(original.build())
    case = shrink(original, lambda smaller: _lie_gains(smaller, scale))
    return Finding(violation, original, case, replay(case))


# Small worlds whose money is millionths are written out in whole units, which decide alike and read better.
READABLE_UNIT = 1_000_000


@kernel
def _check_kernel(world: World, scale: Scale, grid: np.ndarray, check: int, out: np.ndarray) -> bool:
    return checks.check_world(world, scale, rounds_of(world, scale), grid, check, DEFAULT_ONE_IN, out)


def _lie_gains(case: Case, scale: Scale) -> bool:
    """Whether the true cost gains by another bid of the grid."""
    grid = case.grid.tolist()
    if case.cost is None or case.cost not in grid:
        return False
    if case.payment == Randomised.name:
        means = expect(grid, run_small(case, scale).tasks[:, case.vary].tolist(), case.one_in)
        earned = [mean.pay - case.cost * mean.tasks for mean in means]
        return bool(max(earned) > earned[grid.index(case.cost)])
    out = np.empty(5)
    found = _check_kernel(world_of(case), scale, case.grid, CHECKS[case.payment], out)
    return bool(found) and grid[int(out[1])] == case.cost
