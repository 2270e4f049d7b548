"""Recorded answers, from files or frames, replayed as if they came in live: `quorate replay` in a notebook."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from quorate.certify.asked import check_count
from quorate.certify.labels import Labels, Truth, read_gold
from quorate.certify.matrix import GoldMatrix, unpack
from quorate.certify.prices import Prices, read_prices, show_price
from quorate.errors import InvalidInput
from quorate.lab.replay import Recording
from quorate.lab.replays import Choice, Replays, replay_many
from quorate.mechanism import payment_named
from quorate.model import Problem
from quorate.money import Money, show, to_millionths

# Billionths, in which prices are read, in a millionth, in which they are paid.
GRAINS = 1000


def replay_labels(
    labels: Labels,
    truth: Truth,
    prices: Prices = None,
    *,
    policy: str = "assured",
    payment: str = "threshold",
    assume: str | None = None,
    target: float = 0.9,
    confidence: float = 0.95,
    slack: float = 0.0,
    cap: object = None,
    pool: int | None = None,
    max_size: int | None = None,
    orders: int = 20,
    price_column: str | None = None,
    workers: Sequence[str] | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Replays:
    """The policy, and what people use today, over `orders` random orders of the recorded tasks.

    `labels`, `truth`, `prices` and `workers` are those of `quorate.certify.pick`; prices are rounded to millionths of
    their unit, because somebody is paid here. `cap`: the highest bid allowed, in the unit of the prices; None: the
    highest price. `seed` draws the orders, the ties and the coins.
    """
    orders = check_count(orders, "orders", "20 or more show how far they spread")
    choice = Choice(policy, assume, pool, max_size, slack)
    rule_of_pay = payment_named(payment)
    recording = recording_of(read_gold(labels, truth, workers=workers), prices, price_column)
    problem = Problem(target, confidence, recording.tasks, _cap(recording, cap), slack)
    rule = choice.build(problem, rule_of_pay, coins=seed)
    return replay_many(recording, rule, rule_of_pay, count=orders, seed=seed, advance=progress or (lambda amount: None))


def _cap(recording: Recording, given: object) -> Money:
    """Millionths: what was given, or the lowest cap under which everybody of the recording could have bid."""
    dearest = int(recording.prices.argmax())
    highest = int(recording.prices[dearest])
    if given is None:
        return highest
    cap = to_millionths(given, "--cap")
    if cap < highest:
        raise InvalidInput(
            f"--cap {show(cap)} is below the highest price, {show(highest)} of worker {recording.workers[dearest]!r};"
            f" give {show(highest)} or more, or leave it out"
        )
    return cap


def recording_of(gold: GoldMatrix, prices: Prices = None, price_column: str | None = None) -> Recording:
    """The gold matrix as a stream that can be replayed."""
    if gold.truths is None:
        raise InvalidInput("the gold matrix does not say what the true answers are; make it with read_gold")
    answered, right = gold.booleans()
    billionths = read_prices(prices, gold, price_column)
    millionths = to_nearest_millionths(billionths, gold.workers)
    return Recording(
        workers=gold.workers,
        answered=answered,
        right=right,
        truths=unpack(gold.truths[None, :])[0, : gold.tasks],
        prices=millionths,
        rounded_by=float(np.max(np.abs(millionths * GRAINS - billionths) / np.maximum(billionths, 1))),
    )


def to_nearest_millionths(billionths: NDArray[np.int64], workers: Sequence[str]) -> NDArray[np.int64]:
    """The nearest millionths, halves upward: recorded costs are often finer than money. None becomes free by it."""
    millionths = (billionths + GRAINS // 2) // GRAINS
    vanished = np.flatnonzero((millionths == 0) & (billionths > 0))
    if vanished.size:
        first = vanished[0]
        raise InvalidInput(
            f"the price of worker {workers[first]!r}, {show_price(billionths[first])}, is nothing to the nearest "
            "millionth of a unit, in which payments are counted; give all prices in a smaller unit"
        )
    return millionths
