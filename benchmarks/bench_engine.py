"""A run of each policy at the paper's size, by the engine and by its peers, in one run on the same worlds.

- *transcription*: the paper's pseudo-code compiled by numba (`benchmarks.transcription`, the paper's four policies).
- *plain Python*: `quorate.policy.play` with the plain policies, nothing compiled: a process of its own under
  NUMBA_DISABLE_JIT=1. It takes minutes, so it plays the first sample alone, at its whole length, and is compared with
  the engine on that sample.
- *play*: the same plain policies as users get them, whose selectors, intervals and answers are compiled. No limit.

All figures are milliseconds of one core (CPU time, so that other work on the machine counts little), means over the
samples. The engine and `play` count violations too, the other two do not. Limits, by the sums: 10 times
faster than the transcription, 300 times than plain Python. Exits 1 if one is not met.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from numba import config

from benchmarks.transcription import TRANSCRIBED, world_of
from quorate.engine import run
from quorate.lab.figures.settings import Entrant, Settings
from quorate.lab.seeds import Seeds
from quorate.lab.world import World
from quorate.model.realization import Field
from quorate.policy import play
from quorate.policy.base import LearningPolicy

MILLISECONDS = 1e3
TRANSCRIPTION, PLAIN, PLAY = "transcription", "plain Python", "play"
LIMITS = {TRANSCRIPTION: 10.0, PLAIN: 300.0}
PEERS = (*LIMITS, PLAY)
# The sample of the plain Python peer, and its command line's word.
FIRST = 0
INTERPRETED = "--interpreted"
WIDTH = 17


@dataclass
class Times:
    """Milliseconds of one policy, a sample each; no `transcription` where there is none."""

    engine: list[float] = field(default_factory=list)
    transcription: list[float] = field(default_factory=list)
    play: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Ratio:
    """What a peer takes, in milliseconds, and what the engine takes for the same samples."""

    taken: float
    engine: float

    def __add__(self, other: "Ratio") -> "Ratio":
        return Ratio(self.taken + other.taken, self.engine + other.engine)

    @property
    def times(self) -> float:
        return self.taken / self.engine


@dataclass(frozen=True)
class Match:
    """One policy on one world."""

    policy: LearningPolicy
    world: World
    realization: Field
    ties: int

    @classmethod
    def of(cls, entrant: Entrant, settings: Settings, sample: int) -> "Match":
        seeds = Seeds.of(settings.seed, sample)
        world = settings.world.draw(seeds.world)
        policy = entrant.kind.build(entrant.promise.problem(world.cap), seeds.coins)
        realization = world.realization(seeds.realization)
        assert isinstance(policy, LearningPolicy)
        assert isinstance(realization, Field)
        return cls(policy, world, realization, seeds.ties)


def spent(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * MILLISECONDS


def measure(times: Times, entrant: Entrant, settings: Settings, sample: int) -> None:
    """One world, everybody in turn on the same answers."""
    match = Match.of(entrant, settings, sample)
    policy, field, prices, qualities = match.policy, match.realization, match.world.prices, match.world.qualities
    times.engine.append(spent(lambda: run(policy, field, prices, seed=match.ties, qualities=qualities)))
    times.play.append(spent(lambda: play(policy, field, prices, seed=match.ties, qualities=qualities)))
    transcribed = TRANSCRIBED.get(entrant.name)
    if transcribed is not None:
        plain = world_of(policy, field, prices, own=True)
        times.transcription.append(spent(lambda: transcribed(plain)))


def interpreted(settings: Settings) -> dict[str, float]:
    """Milliseconds of each policy's first sample, played by this process, which must not compile."""
    if not config.DISABLE_JIT:
        raise SystemExit(f"{INTERPRETED} measures plain Python; set NUMBA_DISABLE_JIT=1")
    taken = {}
    for entrant in settings.entrants:
        match = Match.of(entrant, settings, FIRST)
        taken[entrant.name] = spent(lambda m=match: play(m.policy, m.realization, m.world.prices, seed=m.ties))
    return taken


def plain_python() -> dict[str, float]:
    """`interpreted`, in a process that compiles nothing."""
    words = [sys.executable, "-m", "benchmarks.bench_engine", INTERPRETED]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    found: dict[str, float] = json.loads(
        subprocess.run(words, env=environment, stdout=subprocess.PIPE, check=True).stdout
    )
    return found


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def ratios(found: dict[str, Times], plain: dict[str, float]) -> dict[str, dict[str, Ratio]]:
    """By policy and peer."""
    by_policy: dict[str, dict[str, Ratio]] = {}
    for name, times in found.items():
        engine = mean(times.engine)
        by_policy[name] = {PLAIN: Ratio(plain[name], times.engine[FIRST]), PLAY: Ratio(mean(times.play), engine)}
        if times.transcription:
            by_policy[name][TRANSCRIPTION] = Ratio(mean(times.transcription), engine)
    return by_policy


def total(by_policy: dict[str, dict[str, Ratio]], peer: str) -> Ratio:
    """Over the policies that the peer has."""
    return sum((row[peer] for row in by_policy.values() if peer in row), Ratio(0.0, 0.0))


def line(name: str, engine: float, row: dict[str, Ratio]) -> str:
    """A row: the engine, and for each peer its time and how many times the engine's that is."""
    cells = [f"{name:<16} {engine:>10.2f}"]
    for peer in PEERS:
        found = row.get(peer)
        cells.append(f"{'':>{WIDTH}} {'':>7}" if found is None else f"{found.taken:>{WIDTH},.1f} {found.times:>7,.1f}")
    return " ".join(cells).rstrip()


def report(by_policy: dict[str, dict[str, Ratio]]) -> bool:
    """Print everything; whether every limit is met."""
    print(f"{'policy':<16} {'engine, ms':>10}", *(f"{peer + ', ms':>{WIDTH}} {'ratio':>7}" for peer in PEERS))
    for name, row in by_policy.items():
        print(line(name, row[PLAY].engine, row))
    sums = {peer: total(by_policy, peer) for peer in PEERS}
    print(line("sums", sums[PLAY].engine, sums))
    print(f"(the {TRANSCRIPTION}'s sum is of the policies that it has)")
    met = {peer: sums[peer].times >= limit for peer, limit in LIMITS.items()}
    for peer, limit in LIMITS.items():
        verdict = "met" if met[peer] else "NOT MET"
        print(f"{verdict}: {sums[peer].times:,.1f} times faster than {peer}, limit {limit:g}")
    return all(met.values())


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument(INTERPRETED, action="store_true", help="only the plain Python peer, as JSON")
    given = parser.parse_args(arguments)
    settings = Settings()
    if given.interpreted:
        print(json.dumps(interpreted(settings)))
        return 0
    print(__doc__)
    print(f"{settings.workers:,} workers, {settings.tasks:,} tasks, {given.samples} samples", flush=True)
    found = {}
    for entrant in settings.entrants:
        # Compiled, or read from the cache; and `assured` solves its intervals' ends once for a whole study.
        measure(Times(), entrant, settings, FIRST)
        found[entrant.name] = Times()
        for sample in range(given.samples):
            measure(found[entrant.name], entrant, settings, sample)
    return 0 if report(ratios(found, plain_python())) else 1


if __name__ == "__main__":
    sys.exit(main())
