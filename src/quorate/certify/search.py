"""The exact search over a family of juries fixed in advance (MATHS 7).

The family: every jury of every odd size up to the largest, by majority; with the weighted vote, also every jury of
every size from 4 up by learned weights. With G groups (a size and a vote), a jury of a group with N juries is tested
at level

    mu / (G * N),

so by the union bound all certificates of the family hold at once, surely 1 - mu: whichever jury prices then favour.
G counts the sizes that so many workers allow, and looks at neither prices nor who was right; nor does N for
majorities. N of a weighted size is C(workers with a weight, size), which looks at the tasks that taught the weights and
at no other, as the weights do: given those tasks, its certificates all hold but for mu / G. (Under independence the n
workers are tested, at mu / n each, and every jury follows: see `independent`.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from quorate.certify.bounds import certified, lower_bound
from quorate.certify.counting_scan import CountingScan, MajorityScan, WeightedScan
from quorate.certify.frontier import BEST, Aim, Frontier, Ints
from quorate.certify.independent import IndependentScan
from quorate.certify.matrix import GoldMatrix, words_for
from quorate.certify.scan import Bidders, Progress, Scan, explore, juries_of
from quorate.certify.terms import Assume, Vote
from quorate.certify.weighted import SMALLEST, Learned, learn
from quorate.errors import InvalidInput
from quorate.model.fixed_point import BILLIONTHS
from quorate.model.interval.base import Floats

# Words of 64 gold tasks that counting every jury would take. Where nearly everybody is a coin, so that little can be
# left out, about 10^9 of them were dealt with a second (7 or 9 of 60 to 70): this much may take a quarter of an hour;
# of 5 * 10^11 on a recorded matrix the best jury took 22 seconds. The limit looks at the numbers of workers and tasks
# alone: if it looked at the answers, so would the family that remains.
MOST_WORK = 10**12
# Where errors are taken to be independent, dominated workers are left out first, and hardly a jury is valued.
MOST_JURIES = 10**14


@dataclass(frozen=True)
class Group:
    """All juries of one size and one vote, each tested at `level`."""

    size: int
    vote: Vote
    juries: int
    level: float


@dataclass(frozen=True, eq=False)
class Search:
    """The gold, prices (billionths) and tie keys of its workers, the family, and what is assumed.

    `seed` draws the tasks that teach weights.
    """

    gold: GoldMatrix
    prices: Ints
    keys: Ints
    max_size: int
    confidence: float
    assume: Assume = Assume.NOTHING
    vote: Vote = Vote.MAJORITY
    seed: int = 0

    @property
    def mu(self) -> float:
        """The probability with which a certificate may be wrong."""
        return float(1 - Decimal(str(self.confidence)))

    @cached_property
    def learned(self) -> Learned | None:
        """The weights learned on a part of the gold, where they are needed."""
        if self.assume is Assume.NOTHING and self.vote is Vote.WEIGHTED:
            return learn(self.gold, self.keys, self.seed)
        return None

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The family, small juries first."""
        largest = min(self.max_size, len(self.gold))
        kinds = [(size, Vote.MAJORITY, len(self.gold)) for size in range(1, largest + 1, 2)]
        if self.vote is Vote.WEIGHTED and self.learned is None:
            kinds = [(size, Vote.WEIGHTED, len(self.gold)) for size in range(1, largest + 1)]
        elif self.learned is not None:
            able = int((self.learned.weight > 0).sum())
            kinds += [(size, Vote.WEIGHTED, able) for size in range(SMALLEST, largest + 1)]
        sizes = [(size, vote, juries_of(workers, size)) for size, vote, workers in kinds]
        return tuple(
            # A size without juries keeps its share: how many have a weight depends on who was right.
            Group(size, vote, juries, self.mu / (len(sizes) * juries))
            for size, vote, juries in sizes
            if juries
        )

    @property
    def considered(self) -> int:
        """Juries in the family."""
        return sum(group.juries for group in self.groups)

    @cached_property
    def qualities(self) -> Floats:
        """Lower bounds on every worker's quality, all true at once with probability 1 - mu: Clopper-Pearson at mu /
        n.
        """
        return self.qualities_after(1.0)

    def qualities_after(self, times: float) -> Floats:
        """The same if there were so many times the gold tasks, everybody as right as now."""
        return lower_bound(times * self.gold.rights, times * self.gold.answers, self.mu / len(self.gold))

    def frontier(self, aim: Aim, progress: Progress | None = None) -> Frontier:
        """The frontier of certified juries, exact where the aim looks."""
        found: Frontier = ()
        for scan in self._scans(aim):
            found = explore(scan, found, aim, progress)
        return found

    def best_by_group(self, progress: Progress | None = None) -> tuple[Frontier, ...]:
        """For each group a frontier that ends in its most accurate jury; an empty one where not even a perfect jury
        would be certified at as much as the best of all.
        """
        best = BEST.answer(self.frontier(BEST))
        least = 0 if best is None else best.certified
        scans = zip(self.groups, self._scans(BEST), strict=True)
        return tuple(explore(scan, (), BEST, progress) if self._most(group) >= least else () for group, scan in scans)

    def _most(self, group: Group) -> int:
        """Billionths that a jury of this group could be certified at, if it were always right."""
        if self.assume is Assume.INDEPENDENT:
            return BILLIONTHS
        tasks = self._tested(group)
        return int(certified(tasks, tasks, group.level))

    def _tested(self, group: Group) -> int:
        """Gold tasks on which this group's juries are tested."""
        return self.learned.certifying.tasks if self.learned and group.vote is Vote.WEIGHTED else self.gold.tasks

    def counting_scans(self) -> Iterator[tuple[Group, CountingScan]]:
        """The groups whose verdicts are counted, the most accurate workers first; none where independence is
        assumed.
        """
        for group, scan in zip(self.groups, self._scans(BEST), strict=True):
            if isinstance(scan, CountingScan):
                yield group, scan

    def _scans(self, aim: Aim) -> Iterator[Scan]:
        self._check_work()
        bidders = Bidders(self.prices, self.keys, self._order(aim))
        for group in self.groups:
            if self.assume is Assume.INDEPENDENT:
                yield IndependentScan(bidders, self.qualities, group.size, group.vote)
            elif group.vote is Vote.MAJORITY:
                yield MajorityScan(self.gold, bidders, group.size, group.level)
            elif self.learned is not None:
                yield WeightedScan(self.learned, bidders, group.size, group.level)

    def _check_work(self) -> None:
        """Refuse a family that could take hours, before any of it is searched."""
        counts = self.assume is Assume.NOTHING
        limit, words = (MOST_WORK, words_for(self.gold.tasks)) if counts else (MOST_JURIES, 1)
        if self.considered * words <= limit:
            return
        sizes = {group.size for group in self.groups}
        within = [
            size for size in sizes if sum(group.juries for group in self.groups if group.size <= size) * words <= limit
        ]
        raise InvalidInput(
            f"{len(self.gold)} workers make {self.considered:.1e} juries of up to {self.max_size}, more than can be"
            f" searched in minutes on {self.gold.tasks:,} gold tasks, so none was searched;"
            f" {f'lower --max-size to {max(within)}, or' if within else 'lower --max-size, or'} leave out workers who"
            " answered little with --min-answers"
        )

    def _order(self, aim: Aim) -> Ints:
        """By price, so that the next workers are the cheapest completion; for accuracy alone, the best ones first."""
        if aim.best:
            return np.lexsort((self.keys, -self.gold.rights)).astype(np.int64)
        return np.lexsort((self.keys, self.prices)).astype(np.int64)
