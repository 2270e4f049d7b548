"""What more gold tasks would buy, if juries and workers stayed as accurate as they were seen to be (MATHS 7).

Under no assumption the bound of a jury right on k of n, if there were `times` the gold tasks, is Clopper-Pearson's at
times * k of times * n; under independence the workers' bounds are, and the jury of the most accurate ones follows. The
rate of a jury that was chosen for being the best is a little too good, so these are round numbers, not promises.

With missing answers the jury that needs the least gold need not be the one certified at the most today: a worker right
on 12 of 12 beats one right on 90 of 100 as soon as there is more gold. So `needed` asks the whole family.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from quorate.certify.bounds import MOST_TASKS, fewest, fewest_tasks, lower_bound
from quorate.certify.frontier import Jury
from quorate.certify.independent import best_value
from quorate.certify.scan import Progress, parts
from quorate.certify.search import Group, Search
from quorate.certify.terms import Assume
from quorate.model.fixed_point import BILLIONTHS
from quorate.model.interval.base import Floats


def in_billionths(target: float) -> int:
    """An accuracy as the search compares it, rounded up: what is certified must reach it."""
    return math.ceil(Decimal(str(target)) * BILLIONTHS)


def needed(search: Search, targets: Sequence[float], progress: Progress | None = None) -> list[int | None]:
    """For each target the fewest gold tasks, from those there are, at which some jury of the family is certified at it.

    None where no number up to `bounds.MOST_TASKS` will do. `progress` hears of the whole family once.
    """
    wanted = [in_billionths(target) for target in targets]
    if search.assume is Assume.INDEPENDENT:
        sizes = tuple(group.size for group in search.groups)

        def total(target: int) -> int | None:
            return fewest(lambda tasks: _independent(search, tasks, sizes) >= target, search.gold.tasks)

        return [total(target) for target in wanted]
    return _needed_counted(search, wanted, progress) if wanted else []


def _needed_counted(search: Search, targets: Sequence[int], progress: Progress | None) -> list[int | None]:
    """Branch and bound: each scan asks only for juries that need less gold, for some target, than the best so far."""
    gold = search.gold.tasks
    best = dict.fromkeys(targets, MOST_TASKS + 1)
    for group, scan in search.counting_scans():
        for first, stop, juries in parts(scan.workers, scan.size):
            scan.begin(first, stop)
            done = False
            while not done:
                batch, done = scan.advance_to((target, (total - 1) / gold) for target, total in best.items())
                for target in targets:
                    found = fewest_tasks(batch.right, batch.tasks, group.level, target, gold)
                    best[target] = min(best[target], found or best[target])
            if progress is not None:
                progress(juries)
    return [best[target] if best[target] <= MOST_TASKS else None for target in targets]


def _independent(search: Search, total: int, sizes: Iterable[int]) -> int:
    """Billionths certified at so many gold tasks by the best jury of these sizes."""
    return best_value(search.qualities_after(total / search.gold.tasks), sizes, search.vote)


@dataclass(frozen=True, eq=False)
class Outlook:
    """The most accurate jury of each group of the family that has one certified at all."""

    search: Search
    leaders: tuple[tuple[Group, Jury], ...]

    @classmethod
    def of(cls, search: Search, progress: Progress | None = None) -> "Outlook":
        found = zip(search.groups, search.best_by_group(progress), strict=True)
        return cls(search, tuple((group, frontier[-1]) for group, frontier in found if frontier))

    def curve(self, group: Group, jury: Jury, totals: Floats) -> Floats:
        """The certified accuracy of a group's leader at so many gold tasks."""
        search = self.search
        if search.assume is Assume.INDEPENDENT:
            return np.array([_independent(search, int(total), (group.size,)) for total in totals]) / BILLIONTHS
        tasks = totals * jury.tasks / search.gold.tasks
        return lower_bound(tasks * jury.right / jury.tasks, tasks, group.level)
