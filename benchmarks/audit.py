"""`make audit`: the full-size searches for violations, every row with its count and times.

The first time is the wall clock's, the second the processor's, which tells more where the machine is busy.

Exits 1 if a pairing that is said to be truthful shows a violation, or a control shows none. `--scale .01` runs a
hundredth of every search. `--markdown` prints the tables of docs/counterexamples.md and docs/payments.md on standard
output, and the rows as they come on standard error.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from quorate.lab.world.paper import Paper
from quorate.mechanism import PAYMENTS
from quorate.mechanism.audit.findings import investigate
from quorate.mechanism.audit.large import counterfactual
from quorate.mechanism.audit.mode_r import paid_below_bid, sample_coins
from quorate.mechanism.audit.replay import replay
from quorate.mechanism.audit.report import Drawn
from quorate.mechanism.audit.search import Question, search
from quorate.mechanism.audit.small_run import run_small
from quorate.mechanism.audit.variant import Variant
from quorate.mechanism.audit.worlds import family, world_case
from quorate.model import Problem
from quorate.money import MILLIONTHS
from quorate.policy import Policy, Stopping, assured_policy, paper_policy
from quorate.select.base import SELECTORS

HEADS = Stopping.HEAD_COUNT
BOTH = (False, True)
FULL, CONTROL, PAID = 10**6, 120_000, 10**5
COIN_WORLDS, COIN_DRAWS = 100, 20_000
REDRAWN_WORLDS, REDRAWN_DRAWS = 20, 2_000
ORACLE_WORLDS, ORACLE_BIDS = 40, (0, 7, 10, 20)
# (workers in the world, worlds, workers tried in each)
MANY = ((60, 20, 60), (300, 6, 100), (1100, 4, 100))
# CCB-S with exact selection solves a knapsack over everybody in every round.
FEW = ((60, 1, 8), (300, 1, 4), (1100, 1, 4))
LARGE_STEPS = (-8.0, -4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0)

MONOTONE = [
    *(Variant("ccb-s", "exact", slack=slack) for slack in BOTH),
    *(
        Variant("assured", slack=slack, pool=pool, eliminates=eliminates)
        for eliminates in (True, False)
        for pool in BOTH
        for slack in BOTH
    ),
    *(Variant("assured", slack=slack, pool=pool, stopping=HEADS) for pool in BOTH for slack in BOTH),
    *(
        Variant("assured", slack=slack, pool=pool, error="log-odds", interval="anytime")
        for pool in BOTH
        for slack in BOTH
    ),
    *(Variant("assured-joint", pool=pool, stopping=stopping) for stopping in Stopping for pool in BOTH),
]
BROKEN = [
    Variant(policy, selector, slack=slack)
    for policy, selector in (
        ("ccb-s", "greedy"),
        ("ccb-se", "greedy"),
        ("ccb-se", "exact"),
        ("ccb-ns", "greedy"),
        ("ccb-ns", "exact"),
    )
    for slack in BOTH
]
TRUTHFUL = [
    *((Variant("assured", slack=slack, pool=pool, stopping=HEADS), "threshold") for pool in BOTH for slack in BOTH),
    (Variant("assured", pool=True, stopping=HEADS, error="log-odds", interval="anytime"), "threshold"),
    (Variant("assured-joint", pool=True, stopping=HEADS), "threshold"),
    (Variant("ccb-s", "exact", unit=1), "randomised"),
    (Variant("assured", pool=True, unit=1), "randomised"),
    (Variant("assured", pool=True, slack=True, stopping=HEADS, unit=1), "randomised"),
    (Variant("assured-joint", pool=True, unit=1), "randomised"),
]
LIES = [
    (Variant("assured", pool=True, stopping=HEADS), "threshold without min"),
    (Variant("assured", pool=True, stopping=HEADS), "threshold less one"),
    (Variant("assured", pool=True), "threshold"),
    (Variant("ccb-s", "exact"), "threshold"),
    (Variant("ccb-s", "greedy", unit=1), "randomised"),
    (Variant("ccb-se", "greedy", unit=1), "randomised"),
    (Variant("ccb-ns", "greedy", unit=1), "randomised"),
    (Variant("assured", pool=True), "pay-as-bid"),
]


@dataclass(frozen=True)
class Table:
    """One table of the documentation. Of its columns the first says what was tried, the second how much."""

    name: str
    columns: tuple[str, ...]

    def markdown(self, rows: Iterable["Row"]) -> str:
        lines = [self.columns, ("---",) * len(self.columns), *(row.cells for row in rows)]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


MONOTONE_TABLE = Table(
    "monotone",
    ("rule", "worlds", "with a violation", "said to be", "runs that ended exploration", "the first, made small"),
)
PAID_TABLE = Table(
    "paid",
    (
        "pairing",
        "worlds",
        "with a gain",
        "below cost",
        "said to be",
        "runs that ended exploration",
        "the first, made small",
    ),
)
COINS_TABLE = Table("coins", ("coins", "tried", "seen"))
LARGE_TABLE = Table("larger", ("rule", "tried", "workers", "with a rise", "the largest, in tasks"))
KERNELS_TABLE = Table("kernels", ("compared", "runs", "that differ"))
TABLES = (MONOTONE_TABLE, PAID_TABLE, COINS_TABLE, LARGE_TABLE, KERNELS_TABLE)


@dataclass(frozen=True)
class Row:
    """One line of a table: a cell for each of its columns, and whether what was seen is what it should be."""

    table: Table
    cells: tuple[str, ...]
    as_expected: bool

    @property
    def text(self) -> str:
        """What was seen, for people who watch."""
        told = zip(self.table.columns[2:], self.cells[2:], strict=True)
        return "; ".join(f"{column}: {cell}" for column, cell in told if cell)


def searches(scale: float) -> Iterator[Row]:
    for variant in MONOTONE:
        yield searched(Question(variant), FULL, scale, sound=True)
    for variant in BROKEN:
        yield searched(Question(variant), CONTROL, scale, sound=False)
    for variant, payment in TRUTHFUL:
        yield searched(Question(variant, payment), PAID, scale, sound=True)
    for variant, payment in LIES:
        yield searched(Question(variant, payment), PAID, scale, sound=False)


def searched(question: Question, worlds: int, scale: float, *, sound: bool) -> Row:
    tally = search(question, max(2_000, int(worlds * scale)))
    # Where no run ends exploration nothing is tested.
    expected = (tally.violating + tally.below_cost == 0 < tally.stopped) if sound else tally.violating > 0
    first = ""
    if tally.named and question.payment in (None, *PAYMENTS):
        finding = investigate(question, tally.named[0])
        first, expected = finding.text, expected and finding.confirmed
    tried, seen, ended = f"{tally.worlds:,}", f"{tally.violating:,}", f"{tally.stopped / tally.runs:.0%}"
    if question.payment is None:
        said = "monotone" if sound else "not monotone"
        return Row(MONOTONE_TABLE, (question.variant.name, tried, seen, said, ended, first), expected)
    said = "truthful" if sound else "not truthful"
    name = f"{question.variant.name}; {question.payment}"
    return Row(PAID_TABLE, (name, tried, seen, f"{tally.below_cost:,}", said, ended, first), expected)


def coins(scale: float) -> Iterator[Row]:
    worlds = max(10, int(COIN_WORLDS * min(1.0, 10 * scale)))
    for variant in (Variant("ccb-s", "exact", unit=1), Variant("assured", pool=True, unit=1)):
        audited = family(variant)
        drawn = Drawn(tuple(sample_coins(audited, 1, number, draws=COIN_DRAWS) for number in range(worlds)))
        yield Row(
            COINS_TABLE,
            (
                f"{variant.name}: Myerson's identity",
                f"{worlds} worlds x {COIN_DRAWS:,} draws",
                f"at most {drawn.largest_z:.2f} standard errors off; lies gain in {drawn.lies_that_gain} worlds",
            ),
            drawn.beyond_three == 0 and drawn.lies_that_gain == 0,
        )
    draws = max(10_000, int(1_000_000 * scale))
    audited = family(Variant("ccb-s", "exact", unit=1))
    below = paid_below_bid(world_case(audited, 1, 0).build(), draws, 1).count
    yield Row(COINS_TABLE, ("bids paid below themselves", f"{draws:,} draws", f"{below}"), below == 0)
    anew = (sample_coins(audited, 1, number, draws=REDRAWN_DRAWS, redraw=True) for number in range(REDRAWN_WORLDS))
    redrawn = Drawn(tuple(anew))
    best = max((world.gain for world in redrawn.sampled), key=lambda gain: redrawn.interval(gain)[0])
    low, high = redrawn.interval(best)
    yield Row(
        COINS_TABLE,
        (
            "control: coins drawn anew each round",
            f"{REDRAWN_WORLDS} worlds x {REDRAWN_DRAWS:,} draws",
            f"{redrawn.largest_z:.1f} standard errors off; a worker of cost {best.cost} gains {best.mean:.0f} "
            f"({low:.0f} to {high:.0f}) by bidding {best.lie}",
        ),
        redrawn.beyond_three > 0 and low > 0.0,
    )


def oracle(scale: float) -> Iterator[Row]:
    """The kernels against the plain policies, on worlds that the tests do not use."""
    worlds = max(2, int(ORACLE_WORLDS * scale))
    runs = off = 0
    for variant in [*MONOTONE, *BROKEN]:
        audited = family(variant)
        for number in range(worlds):
            case = world_case(audited, 2, number).with_grid([bid * variant.unit for bid in ORACLE_BIDS])
            fast = run_small(case, audited.scale)
            for at, result in enumerate(replay(case).results):
                runs += 1
                off += tuple(fast.tasks[at].tolist()) != result.tasks
    yield Row(KERNELS_TABLE, ("kernels against the plain policies, to the bit", f"{runs:,}", f"{off}"), off == 0)


@dataclass(frozen=True)
class LargeRule:
    """A rule to try in larger worlds. Nothing is expected of one that is not proved; rises are reported as found."""

    name: str
    build: Callable[[Problem], Policy]
    sizes: tuple[tuple[int, int, int], ...]
    sound: bool


LARGE = (
    LargeRule("ccb-s, greedy", lambda problem: paper_policy("ccb-s", problem), MANY, sound=False),
    LargeRule("ccb-se, greedy", lambda problem: paper_policy("ccb-se", problem), MANY, sound=False),
    LargeRule("assured", assured_policy, MANY, sound=True),
    LargeRule(
        "ccb-s, exact", lambda problem: paper_policy("ccb-s", problem, selector=SELECTORS["exact"]), FEW, sound=True
    ),
)


def large(scale: float) -> Iterator[Row]:
    """The paper's setting, sampled."""
    for rule in LARGE:
        for workers, worlds, each in rule.sizes:
            tried = rises = most = 0
            for sample in range(max(1, int(worlds * scale))):
                world = Paper(workers=workers).draw(sample)
                policy = rule.build(Problem(0.9, 0.9, 10_000, world.cap, 0.05))
                realization = world.realization(sample)
                for worker in np.random.default_rng(sample).permutation(workers)[:each].tolist():
                    steps = (np.array(LARGE_STEPS) * MILLIONTHS).astype(np.int64)
                    bids = np.clip(world.prices[worker] + steps, 0, world.cap)
                    rise = counterfactual(policy, realization, world.prices, worker, bids).largest_rise
                    tried, rises, most = tried + 1, rises + (rise > 0), max(most, rise)
            yield Row(
                LARGE_TABLE,
                (rule.name, f"{tried} x {len(LARGE_STEPS)} bids", f"{workers:,}", f"{rises}", f"{most:,}"),
                rises == 0 or not rule.sound,
            )


Part = Callable[[float], Iterator[Row]]
PARTS: dict[str, Part] = {"searches": searches, "coins": coins, "oracle": oracle, "large": large}


def run_part(part: Part, scale: float, told: TextIO) -> list[Row]:
    """The part's rows, each told with its times as soon as it is there."""
    rows = []
    start, cpu = time.perf_counter(), time.process_time()
    for row in part(scale):
        spent, start = time.perf_counter() - start, time.perf_counter()
        worked, cpu = time.process_time() - cpu, time.process_time()
        mark = "ok  " if row.as_expected else "FAIL"
        what, tried = row.cells[:2]
        print(f"{mark} {what:<78} {tried:<26} {spent:6.1f} s {worked:6.1f} s  {row.text}", file=told, flush=True)
        rows.append(row)
    return rows


def print_tables(rows: list[Row]) -> None:
    """Each table under the line that stands for it in the documentation."""
    for table in TABLES:
        own = [row for row in rows if row.table == table]
        if own:
            print(f"\n<!-- audit: {table.name} -->\n{table.markdown(own)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full size")
    parser.add_argument("--part", choices=list(PARTS), help="one part only")
    parser.add_argument("--markdown", action="store_true", help="print the documentation's tables")
    given = parser.parse_args()
    began, rows = time.perf_counter(), []
    told = sys.stderr if given.markdown else sys.stdout
    for name, part in PARTS.items():
        if given.part in (None, name):
            print(f"\n{name}", file=told, flush=True)
            rows += run_part(part, given.scale, told)
    if given.markdown:
        print_tables(rows)
    failed = sum(not row.as_expected for row in rows)
    spent = time.perf_counter() - began
    print(f"\n{failed} rows are not as they should be; {spent:.0f} s in all", file=told)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
