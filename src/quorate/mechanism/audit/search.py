"""The search: many small worlds, on threads, in chunks that a later run need not repeat."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate._jit import kernel
from quorate._kernel_cache import stamp
from quorate.errors import InvalidInput
from quorate.mechanism import PAYMENTS
from quorate.mechanism.audit import checks
from quorate.mechanism.audit.runs import rounds_of
from quorate.mechanism.audit.tables import Scale
from quorate.mechanism.audit.variant import Variant
from quorate.mechanism.audit.worlds import Family, Plan, draw_world, family, full_grid
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.model.problem import check_seed

CHUNK = 2_000
# How many violating worlds of a kind a chunk names; it counts them all.
NAMED = 20

CHECKS = {
    None: checks.MONOTONE,
    "pay-as-bid": checks.PAY_AS_BID,
    "randomised": checks.RANDOMISED,
    "threshold": checks.THRESHOLD,
    # Controls, which must fail: lies gain from the one, the other pays bids less than themselves.
    "threshold without min": checks.THRESHOLD_WITHOUT_MIN,
    "threshold less one": checks.THRESHOLD_LESS_ONE,
}


@dataclass(frozen=True)
class Violation:
    """A world in which the check fails: by how much (tasks, or money in millionths), and for payments which lie at
    which true cost. With `loses` the bid is the cost itself, and is paid less than the work costs.
    """

    world: int
    amount: float
    cost: int
    lie: int
    loses: bool = False


@dataclass(frozen=True)
class Tally:
    """What a range of worlds showed. `below_cost` counts bids whose pay was below the bid times the tasks, and
    `losing` names worlds that have some; the violations counted and `named` are rises and lies that gain.
    """

    worlds: int = 0
    runs: int = 0
    stopped: int = 0
    violating: int = 0
    below_cost: int = 0
    worst: float = 0.0
    named: tuple[Violation, ...] = ()
    losing: tuple[Violation, ...] = ()

    def plus(self, other: "Tally") -> "Tally":
        return Tally(
            self.worlds + other.worlds,
            self.runs + other.runs,
            self.stopped + other.stopped,
            self.violating + other.violating,
            self.below_cost + other.below_cost,
            max(self.worst, other.worst),
            _first(self.named + other.named),
            _first(self.losing + other.losing),
        )


def _first(found: tuple[Violation, ...]) -> tuple[Violation, ...]:
    return tuple(sorted(found, key=lambda violation: violation.world)[:NAMED])


@kernel
def _search_kernel(
    seed: np.uint64,
    first: int,
    count: int,
    plan: Plan,
    scale: Scale,
    grid: NDArray[np.int64],
    check: int,
    one_in: int,
    totals: NDArray[np.float64],
    named: NDArray[np.float64],
    losing: NDArray[np.float64],
) -> None:
    """totals: (violating worlds, runs stopped, bids below cost, worst, worlds with such a bid); named[k]: (world,
    amount, cost, lie); losing[k]: (world, amount, bid).
    """
    out = np.empty(checks.OUT)
    for number in range(first, first + count):
        world, _, _ = draw_world(seed, number, plan)
        failed = checks.check_world(world, scale, rounds_of(world, scale), grid, check, one_in, out)
        totals[1] += out[3]
        totals[2] += out[4]
        totals[3] = max(totals[3], out[0])
        if failed:
            at = int(totals[0])
            if at < len(named):
                named[at, 0] = number
                named[at, 1:] = out[:3]
            totals[0] += 1
        if out[4] > 0.0:
            at = int(totals[4])
            if at < len(losing):
                losing[at, 0] = number
                losing[at, 1:] = out[5:]
            totals[4] += 1


@dataclass(frozen=True)
class Question:
    """What is searched for, and with which seed. `payment` None: ex-post monotonicity of the allocation alone."""

    variant: Variant
    payment: str | None = None
    seed: int = 1
    one_in: int = DEFAULT_ONE_IN

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.payment not in CHECKS:
            raise InvalidInput(f"no check exists for the payment {self.payment!r}; there are {', '.join(PAYMENTS)}")
        if self.payment == "randomised" and self.variant.unit != 1:
            raise InvalidInput(
                f"a unit of {self.variant.unit} millionths leaves most bids out of the grid, and mode R's expectation "
                f"runs over all of them; use unit=1"
            )

    @property
    def key(self) -> str:
        """What makes two searches the same."""
        return f"{self.variant!r} {self.payment} seed={self.seed} one_in={self.one_in}"


def _search_chunk(question: Question, audited: Family, first: int, count: int) -> Tally:
    totals, named, losing = np.zeros(5), np.zeros((NAMED, 4)), np.zeros((NAMED, 3))
    _search_kernel(
        np.uint64(question.seed),
        first,
        count,
        audited.plan,
        audited.scale,
        full_grid(question.variant),
        CHECKS[question.payment],
        question.one_in,
        totals,
        named,
        losing,
    )
    unit, bids = question.variant.unit, len(full_grid(question.variant))
    return Tally(
        worlds=count,
        runs=count * bids,
        stopped=int(totals[1]),
        violating=int(totals[0]),
        below_cost=int(totals[2]),
        worst=float(totals[3]),
        named=tuple(
            Violation(int(world), amount, int(cost) * unit, int(lie) * unit)
            for world, amount, cost, lie in named[: int(totals[0])].tolist()
        ),
        losing=tuple(
            Violation(int(world), amount, int(bid) * unit, int(bid) * unit, loses=True)
            for world, amount, bid in losing[: int(totals[4])].tolist()
        ),
    )


def search(
    question: Question,
    instances: int,
    *,
    first: int = 0,
    threads: int | None = None,
    done: Path | None = None,
    advance: Callable[[int], None] = lambda worlds: None,
) -> Tally:
    """Worlds first .. first + instances - 1, on so many threads (None: one per core).

    With `done`, finished chunks are written there and not searched again by the same code.
    """
    if instances < 1 or first < 0 or first + instances > 2**32:
        raise InvalidInput(
            f"worlds {first} to {first + instances - 1} are not in [0, 2^32), or none; ask for at least one"
        )
    audited = family(question.variant)
    chunks = {(start, min(CHUNK, first + instances - start)) for start in range(first, first + instances, CHUNK)}
    total = Tally()
    code = "" if done is None else code_of(audited)
    for chunk, tally in _recall(question, code, done):
        if chunk in chunks:
            chunks.remove(chunk)
            total = total.plus(tally)
            advance(tally.worlds)
    if done is not None:
        _mend(done)
    todo = sorted(chunks)
    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1)
    try:
        tallies = pool.map(lambda chunk: _search_chunk(question, audited, *chunk), todo)
        for chunk, tally in zip(todo, tallies, strict=True):
            _remember(question, code, done, chunk, tally)
            total = total.plus(tally)
            advance(tally.worlds)
    finally:
        # Interrupted, what has not begun must not run.
        pool.shutdown(cancel_futures=True)
    return total


def code_of(audited: Family) -> str:
    """A digest of all that decides what a search finds: the code of its kernels, and the tables that they are given."""
    kernel: Any = _search_kernel
    digest = hashlib.sha256(stamp(getattr(kernel, "py_func", kernel)))
    for part in (*audited.plan, *audited.scale):
        digest.update(np.asarray(part).tobytes())
    return digest.hexdigest()


def forget(question: Question, done: Path) -> None:
    """Take the question's chunks out of the file; what it knows of other questions stays."""
    if done.exists():
        kept = [line for line in _lines(done) if _entry(line).get("question") != question.key]
        beside = done.with_name(done.name + ".new")
        beside.write_text("".join(line + "\n" for line in kept), encoding="utf-8")
        beside.replace(done)


def _mend(done: Path) -> None:
    """End a line that a kill cut short, so that the next one stands alone."""
    text = done.read_bytes() if done.exists() else b""
    if text and not text.endswith(b"\n"):
        with done.open("ab") as file:
            file.write(b"\n")


def _remember(question: Question, code: str, done: Path | None, chunk: tuple[int, int], tally: Tally) -> None:
    if done is not None:
        line = json.dumps({"question": question.key, "code": code, "chunk": chunk, "tally": asdict(tally)})
        with done.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def _recall(question: Question, code: str, done: Path | None) -> Iterator[tuple[tuple[int, int], Tally]]:
    """Chunks of the same question that an earlier run of the same code finished; a line of another shape is not one."""
    for line in _lines(done) if done is not None and done.exists() else ():
        entry = _entry(line)
        if (entry.get("question"), entry.get("code")) != (question.key, code):
            continue
        try:
            first, count = entry["chunk"]
            tally = dict(entry["tally"])
            named, losing = (tuple(Violation(**found) for found in tally.pop(kind)) for kind in ("named", "losing"))
            finished = Tally(**tally, named=named, losing=losing)
        except (KeyError, TypeError, ValueError):
            continue
        yield (first, count), finished


def _lines(done: Path) -> list[str]:
    return done.read_text(encoding="utf-8", errors="replace").splitlines()


def _entry(line: str) -> dict[str, Any]:
    """What the line holds; nothing if it was cut short or is not of ours."""
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}
