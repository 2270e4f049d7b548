"""A whole audit of one question: search, confirm, shrink, and under mode R also draw the coins (MATHS 6)."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from quorate.mechanism import Pairing, pair
from quorate.mechanism.audit.case import payment_of
from quorate.mechanism.audit.findings import Finding, investigate, investigate_coins
from quorate.mechanism.audit.mode_r import BelowBid, Gain, Identity, Sampled, paid_below_bid, sample_coins, sure
from quorate.mechanism.audit.search import Question, Tally, Violation, search
from quorate.mechanism.audit.worlds import family, world_case
from quorate.policy import Policy

# How many of the violations found are shrunk and written out.
SHOWN = 3
COIN_WORLDS = 100
COIN_DRAWS = 20_000
BID_DRAWS = 10**6


# A stage of the audit, and how much work it has: what shows that goes from there on.
Watch = Callable[[str, float], AbstractContextManager[Callable[[float], None]]]


@contextmanager
def unwatched(stage: str, total: float) -> Iterator[Callable[[float], None]]:
    yield lambda done: None


@dataclass(frozen=True)
class Drawn:
    """Mode R's coins drawn in many worlds: the identity and the best lie in each."""

    sampled: tuple[Sampled, ...]

    @property
    def farthest(self) -> Identity:
        """Where the identity deviates most."""
        return max((world.identity for world in self.sampled), key=lambda identity: abs(identity.z))

    @property
    def largest_z(self) -> float:
        """The identity's largest deviation in standard errors."""
        return abs(self.farthest.z)

    @property
    def beyond_three(self) -> int:
        return sum(abs(world.identity.z) > 3.0 for world in self.sampled)

    @property
    def allowed_z(self) -> float:
        """What three standard errors in one world become where the largest of many is looked at."""
        return sure(len(self.sampled))

    @property
    def best_lie(self) -> Gain:
        """The one that gained most on average, be it by chance: see its interval."""
        return max((world.gain for world in self.sampled), key=lambda gain: gain.mean)

    def interval(self, gain: Gain) -> tuple[float, float]:
        return gain.interval(len(self.sampled))

    @property
    def gaining(self) -> tuple[Gain, ...]:
        """The best lies of worlds in which the interval on its gain lies above 0."""
        return tuple(world.gain for world in self.sampled if self.interval(world.gain)[0] > 0.0)

    @property
    def lies_that_gain(self) -> int:
        return len(self.gaining)


@dataclass(frozen=True)
class Coins(Drawn):
    """All of mode R by its coins: also the bids that were paid less than themselves."""

    below: BelowBid

    @property
    def passed(self) -> bool:
        return self.largest_z <= self.allowed_z and self.lies_that_gain == 0 and self.below.count == 0


@dataclass(frozen=True)
class Report:
    """What an audit showed. `pairing` is what is claimed, None where the allocation alone was audited."""

    question: Question
    pairing: Pairing | None
    first: int
    tally: Tally
    findings: tuple[Finding, ...]
    coins: Coins | None

    @property
    def violated(self) -> bool:
        """Whether anything was found."""
        return self.tally.violating > 0 or self.tally.below_cost > 0 or not (self.coins is None or self.coins.passed)

    @property
    def tested(self) -> bool:
        """Whether any run ended exploration: before that a bid decides at most who takes part, and that nothing was
        found says nothing.
        """
        return self.tally.stopped > 0

    @property
    def passed(self) -> bool:
        return self.tested and not self.violated


def audit(
    question: Question,
    instances: int,
    *,
    first: int = 0,
    threads: int | None = None,
    done: Path | None = None,
    watch: Watch = unwatched,
) -> Report:
    """Search worlds first .. first + instances - 1, and make a small case of the first violations."""
    claim = _claim(question)
    with watch("Searching worlds", instances) as advance:
        tally = search(question, instances, first=first, threads=threads, done=done, advance=advance)
    coins = (
        _draw_coins(question, min(instances, COIN_WORLDS), first, watch) if question.payment == "randomised" else None
    )
    return Report(question, claim, first, tally, _investigate(question, first, tally, coins, watch), coins)


def _claim(question: Question) -> Pairing | None:
    return None if question.payment is None else pair(_policy(question), payment_of(question.payment, question.one_in))


def _policy(question: Question) -> Policy:
    """The real policy of one of the worlds; what may be said of it holds for all."""
    return world_case(family(question.variant), question.seed, 0).build()


def _investigate(
    question: Question, first: int, tally: Tally, coins: Coins | None, watch: Watch
) -> tuple[Finding, ...]:
    """Of each kind of violation the first few, made small."""
    tasks: list[Callable[[], Finding | None]] = [
        partial(investigate, question, violation) for violation in _to_show(tally, coins)
    ]
    if coins is not None and coins.below.first is not None:
        tasks.append(partial(investigate_coins, question, first, *coins.below.first))
    if not tasks:
        return ()
    findings = []
    with watch("Shrinking what was found", len(tasks)) as advance:
        for task in tasks:
            findings.append(task())
            advance(1)
    return tuple(finding for finding in findings if finding is not None)


def _to_show(tally: Tally, coins: Coins | None) -> tuple[Violation, ...]:
    """Also the lies that gained in the coins drawn, but for those worlds in which a lie is shown already."""
    named, lies = tally.named[:SHOWN], coins.gaining if coins is not None else ()
    drawn = [Violation(lie.world, lie.mean, lie.cost, lie.lie) for lie in lies]
    known = {violation.world for violation in named}
    return named + tuple(lie for lie in drawn if lie.world not in known)[:SHOWN] + tally.losing[:SHOWN]


def _draw_coins(question: Question, worlds: int, first: int, watch: Watch) -> Coins:
    audited = family(question.variant)
    sampled = []
    with watch("Drawing coins", worlds) as advance:
        for number in range(first, first + worlds):
            sampled.append(sample_coins(audited, question.seed, number, draws=COIN_DRAWS, one_in=question.one_in))
            advance(1)
    with watch("Settling random bids", BID_DRAWS) as advance:
        below = paid_below_bid(_policy(question), BID_DRAWS, question.seed, question.one_in, advance)
    return Coins(tuple(sampled), below)
