"""`pick`: the cheapest jury that the data can certify, or an honest refusal (MATHS 7)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quorate.certify.asked import check_count, check_share
from quorate.certify.bounds import certified
from quorate.certify.dependence import Dependence, measure
from quorate.certify.frontier import BEST, Aim, Ints, Jury
from quorate.certify.labels import Labels, Truth, read_gold
from quorate.certify.matrix import GoldMatrix
from quorate.certify.more_gold import in_billionths, needed
from quorate.certify.prices import Prices, from_billionths, read_prices
from quorate.certify.scan import Progress
from quorate.certify.search import Search
from quorate.certify.terms import Assume, Vote
from quorate.certify.verdicts import own_verdicts
from quorate.errors import InvalidInput
from quorate.model.fixed_point import BILLIONTHS
from quorate.model.philox import tie_keys
from quorate.model.problem import check_seed


@dataclass(frozen=True)
class Certified:
    """A jury and what is certified of it.

    `price` is per task, in the unit of the price file; `right` of `tasks` are the jury's own verdicts on the gold tasks
    that all its members answered (and, for learned weights, that did not teach them). `weights` go with the weighted
    vote.
    """

    jury: tuple[str, ...]
    price: float
    certified_accuracy: float
    right: int
    tasks: int
    vote: Vote
    weights: tuple[float, ...] | None

    @property
    def empirical_accuracy(self) -> float | None:
        return self.right / self.tasks if self.tasks else None

    def to_dict(self) -> dict[str, object]:
        return {
            "jury": list(self.jury),
            "price": self.price,
            "certified_accuracy": self.certified_accuracy,
            "empirical_accuracy": self.empirical_accuracy,
            "jury_tasks": self.tasks,
            "jury_right": self.right,
            "vote": self.vote.value,
            "weights": None if self.weights is None else dict(zip(self.jury, self.weights, strict=True)),
        }


@dataclass(frozen=True)
class Pick:
    """The answer. `chosen` is None when no jury of the family is certified at the target.

    Then `best` is the most accurate one that can be certified (None: not even that), and `more_gold_tasks` about how
    many more gold tasks would certify the target if juries stayed as accurate as seen (None: no number would).
    """

    target: float
    confidence: float
    chosen: Certified | None
    best: Certified | None
    more_gold_tasks: int | None
    best_single: Certified
    dependence: Dependence = field(repr=False, compare=False)
    effective_votes: float | None
    search: Search = field(repr=False, compare=False)

    @property
    def feasible(self) -> bool:
        return self.chosen is not None

    @property
    def jury(self) -> tuple[str, ...]:
        return self.chosen.jury if self.chosen else ()

    @property
    def price(self) -> float | None:
        return self.chosen.price if self.chosen else None

    @property
    def certified_accuracy(self) -> float | None:
        return self.chosen.certified_accuracy if self.chosen else None

    @property
    def empirical_accuracy(self) -> float | None:
        return self.chosen.empirical_accuracy if self.chosen else None

    def to_dict(self) -> dict[str, object]:
        """The JSON of `quorate pick`: stable names."""
        gold, pool = self.search.gold, self.dependence
        nobody: dict[str, object] = dict.fromkeys(
            ("price", "certified_accuracy", "empirical_accuracy", "jury_tasks", "jury_right", "vote", "weights")
        )
        single = self.best_single
        return {
            "feasible": self.feasible,
            **(self.chosen.to_dict() if self.chosen else {"jury": [], **nobody}),
            "target": self.target,
            "confidence": self.confidence,
            "assumption": self.search.assume.value,
            "considered": self.search.considered,
            "workers": len(gold),
            "left_out": list(gold.left_out),
            "tasks": gold.tasks,
            "dropped_tasks": gold.dropped_tasks,
            "missing_answers": gold.missing,
            "best_certifiable": None if self.feasible or self.best is None else self.best.to_dict(),
            "more_gold_tasks": self.more_gold_tasks,
            "best_single": {"worker": single.jury[0], **single.to_dict()},
            "effective_votes": self.effective_votes,
            "effective_votes_of_all": pool.effective,
            "error_correlation": pool.mean,
            "independence_contradicted": pool.contradicted,
            "near_duplicates": [
                {"workers": [gold.workers[p.first], gold.workers[p.second]], "correlation": p.correlation}
                for p in pool.near_duplicates
            ],
        }


def pick(
    labels: Labels,
    truth: Truth,
    prices: Prices = None,
    *,
    target: float = 0.9,
    confidence: float = 0.95,
    assume: str = "nothing",
    max_size: int = 5,
    vote: str = "majority",
    min_answers: int = 1,
    price_column: str | None = None,
    workers: Sequence[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Pick:
    """The cheapest jury of at most `max_size` whose verdicts are right with probability `target`, surely `confidence`.

    `labels`, `truth`, `prices`: paths (CSV or Parquet, gzipped or not), polars or pandas frames, or NumPy arrays
    (labels [tasks, workers] with NaN for a missing answer, one truth per task, one price per worker; `workers` names
    columns). Without prices every answer costs 1. `seed` draws the keys that break exact ties, and the tasks that
    teach weights.
    """
    search = make_search(
        read_gold(labels, truth, workers=workers, min_answers=min_answers),
        prices,
        confidence=confidence,
        assume=assume,
        max_size=max_size,
        vote=vote,
        price_column=price_column,
        seed=seed,
    )
    return answer(search, target, progress)


def make_search(
    gold: GoldMatrix,
    prices: Prices = None,
    *,
    confidence: float = 0.95,
    assume: str = "nothing",
    max_size: int = 5,
    vote: str = "majority",
    price_column: str | None = None,
    seed: int = 0,
) -> Search:
    """The search behind `pick`, on a gold matrix."""
    confidence = check_share(confidence, "confidence", 0.0, "it is a probability between 0 and 1")
    max_size = check_count(max_size, "max_size", "a jury has at least 1 member")
    if max_size % 2 == 0 and vote == Vote.MAJORITY:
        raise InvalidInput(
            f"a largest jury of {max_size} is not odd, and majorities need odd juries: give max_size {max_size - 1} or"
            f" {max_size + 1}"
        )
    return Search(
        gold=gold,
        prices=read_prices(prices, gold, price_column),
        keys=tie_keys(seed, len(gold)),
        max_size=max_size,
        confidence=confidence,
        assume=_choice(Assume, assume, "assume"),
        vote=_choice(Vote, vote, "vote"),
        seed=check_seed(seed),
    )


def _choice(kind: Any, value: str, what: str) -> Any:
    try:
        return kind(value)
    except ValueError as error:
        names = " or ".join(repr(member.value) for member in kind)
        raise InvalidInput(f"{what} is {value!r}; choose {names}") from error


def answer(search: Search, target: float, progress: Progress | None = None) -> Pick:
    """The pick of a search at this target. `progress` hears of juries done: the whole family once, up to three times
    for a refusal.
    """
    target = check_share(target, "target", 0.5, "the accuracy to certify lies above 1/2, where a coin is, and below 1")
    aim = Aim(target=in_billionths(target))
    found = aim.answer(search.frontier(aim, progress))
    best, more = found, 0 if found else None
    if found is None:
        best = BEST.answer(search.frontier(BEST, progress))
        total = needed(search, [target], progress)[0]
        more = None if total is None else total - search.gold.tasks
    return Pick(
        target=target,
        confidence=search.confidence,
        chosen=None if found is None else certificate(search, found),
        best=None if best is None else certificate(search, best),
        more_gold_tasks=more,
        best_single=certificate(search, best_single(search)),
        dependence=measure(search.gold),
        effective_votes=None if best is None else measure(search.gold, np.array(best.members)).effective,
        search=search,
    )


def certified_alone(search: Search) -> Ints:
    """What each worker alone is certified at, in billionths."""
    if search.assume is Assume.INDEPENDENT:
        return np.floor(search.qualities * BILLIONTHS).astype(np.int64)
    level = next(group.level for group in search.groups if group.size == 1)
    return certified(search.gold.rights, search.gold.answers, level)


def best_single(search: Search) -> Jury:
    """The single worker certified at the most (then the cheaper), as a member of the family."""
    gold, values = search.gold, certified_alone(search)
    leader = int(np.lexsort((search.keys, search.prices, -values))[0])
    return Jury(
        price=int(search.prices[leader]),
        shortfall=-int(values[leader]),
        key=int(search.keys[leader]),
        members=(leader,),
        vote=Vote.MAJORITY,
        right=int(gold.rights[leader]),
        tasks=int(gold.answers[leader]),
    )


def certificate(search: Search, jury: Jury) -> Certified:
    """A jury of the search in the user's terms."""
    members = np.array(jury.members)
    right, tasks, weights = own_verdicts(search, members, jury.vote)
    return Certified(
        jury=tuple(search.gold.workers[i] for i in jury.members),
        price=from_billionths(jury.price),
        certified_accuracy=jury.certified / BILLIONTHS,
        right=right,
        tasks=tasks,
        vote=jury.vote,
        weights=None if weights is None else tuple(weights.tolist()),
    )
