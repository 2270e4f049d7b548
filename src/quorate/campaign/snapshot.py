"""A state as bytes and back, so that starting does not fold a million events again.

One line of JSON for everything but the tasks, then a line for every few thousand tasks, in columns: lists of numbers
are what JSON reads fastest, and between two lines other threads have their turn. A snapshot of another form is not
read but folded anew; the ledger alone is the truth.
"""

import hashlib
import json
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from quorate.campaign.codec import canonical
from quorate.campaign.persistent import Index, Vector
from quorate.campaign.ranges import from_ranges, to_ranges
from quorate.campaign.refusal import Tampered
from quorate.campaign.rules import build
from quorate.campaign.settings import from_json, to_json
from quorate.campaign.state import Auction, Counts, Jury, PayLine, Payout, State, Task, Worker
from quorate.campaign.views import Stage
from quorate.mechanism import Sealed
from quorate.policy.base import Phase
from quorate.policy.base import State as Learned

VERSION = 2
FAST = 1
TASKS_A_LINE = 4_096


def to_bytes(state: State) -> bytes:
    packer = zlib.compressobj(FAST)
    parts = [packer.compress(line) for line in _lines(state)]
    return b"".join((*parts, packer.flush()))


def fingerprint(state: State) -> str:
    """SHA-256 of all that the state is: equal states have equal fingerprints, in any process."""
    whole = hashlib.sha256()
    for line in _lines(state):
        whole.update(line)
    return whole.hexdigest()


def from_bytes(data: bytes) -> State:
    """The inverse of `to_bytes`; raises Tampered for bytes that it has not made."""
    try:
        return _from_lines(data)
    except (zlib.error, ValueError, KeyError, TypeError, IndexError, AttributeError, StopIteration) as error:
        raise Tampered(f"a snapshot cannot be read ({error!r}); drop it, and the ledger is folded anew") from error


def _from_lines(data: bytes) -> State:
    first, *rest = zlib.decompress(data).splitlines()
    given = json.loads(first)
    settings = None if given["settings"] is None else from_json(given["settings"])
    opened = given["stage"] != Stage.DRAFT
    rules = None if settings is None else build(settings, given["seed"] if opened else 0)
    workers = Vector(_workers(given["workers"]))
    tasks = Vector(task for line in rest for task in _tasks(json.loads(line)))
    payouts = Vector(Payout(*row) for row in given["payouts"])
    return State(
        campaign=given["campaign"],
        seq=given["seq"],
        stage=Stage(given["stage"]),
        settings=settings,
        rules=rules,
        seed=given["seed"],
        coin_commitment=given["coin_commitment"],
        coin_seed=given["coin_seed"],
        coin_salt=given["coin_salt"],
        workers=workers,
        names=Index.of(worker.name for worker in workers),
        auction=None if given["auction"] is None or rules is None else _auction(given["auction"], rules.problem.cap),
        learned=None if given["learned"] is None else Learned.from_json(given["learned"]),
        tasks=tasks,
        keys=Index.of(task.key for task in tasks),
        juries=Vector(_jury(row) for row in given["juries"]),
        current=given["current"],
        next_task=given["next_task"],
        open=tuple(given["open"]),
        held=tuple(given["held"]),
        ended=given["ended"],
        withdrawn=frozenset(given["withdrawn"]),
        payouts=payouts,
        payout_names=_payout_names(workers, payouts),
        counts=Counts(*given["counts"]),
    )


def _lines(state: State) -> Iterator[bytes]:
    yield _document(state).encode("ascii") + b"\n"
    for start in range(0, len(state.tasks), TASKS_A_LINE):
        stop = min(start + TASKS_A_LINE, len(state.tasks))
        columns = _task_columns([state.tasks[number] for number in range(start, stop)])
        yield canonical(columns).encode("ascii") + b"\n"


def _document(state: State) -> str:
    learned = state.learned
    return canonical(
        {
            "campaign": state.campaign,
            "seq": state.seq,
            "stage": state.stage.value,
            "settings": None if state.settings is None else to_json(state.settings),
            "seed": state.seed,
            "coin_commitment": state.coin_commitment,
            "coin_seed": state.coin_seed,
            "coin_salt": state.coin_salt,
            "workers": list(state.workers),
            "auction": None if state.auction is None else _auction_columns(state.auction),
            "learned": None if learned is None else learned.to_json(),
            "juries": [
                (jury.phase.value, to_ranges(jury.members), jury.weights, jury.prices, jury.certified)
                for jury in state.juries
            ],
            "current": state.current,
            "next_task": state.next_task,
            "open": state.open,
            "held": state.held,
            "ended": state.ended,
            "withdrawn": sorted(state.withdrawn),
            "payouts": list(state.payouts),
            "counts": state.counts,
        }
    )


def _task_columns(tasks: list[Task]) -> dict[str, Any]:
    """By field: a list, or what stands for a list of equal values, as most of a finished task's fields are."""
    columns: dict[str, list[Any]] = {
        name: list(column) for name, column in zip(Task._fields, zip(*tasks, strict=True), strict=True)
    }
    columns["replies"] = [replies.translate(_TO_TEXT).decode("ascii") for replies in columns["replies"]]
    return {
        name: {"all": column[0]} if name != "key" and _all_equal(column) else column for name, column in columns.items()
    }


def _all_equal(column: list[Any]) -> bool:
    """Of one type too: 1 and true are equal in Python and not in JSON."""
    first = column[0]
    return all(value == first and type(value) is type(first) for value in column)


_TO_TEXT = bytes.maketrans(bytes(range(4)), b"0123")
_FROM_TEXT = bytes.maketrans(b"0123", bytes(range(4)))


def _tasks(given: dict[str, Any]) -> Iterator[Task]:
    count = len(given["key"])
    columns = {name: [column["all"]] * count if isinstance(column, dict) else column for name, column in given.items()}
    columns["replies"] = [replies.encode("ascii").translate(_FROM_TEXT) for replies in columns["replies"]]
    columns["extra"] = [tuple(extra) for extra in columns["extra"]]
    return map(Task, *(columns[name] for name in Task._fields))


def _workers(rows: list[list[Any]]) -> list[Worker]:
    found = []
    for row in rows:
        worker = Worker(*row)
        found.append(worker._replace(pay=tuple(PayLine(*line) for line in worker.pay), payouts=tuple(worker.payouts)))
    return found


def _payout_names(workers: Vector[Worker], payouts: Vector[Payout]) -> Index:
    """A worker's payouts were ordered in the order in which its list has them."""
    names = {number: iter(worker.payouts) for number, worker in enumerate(workers)}
    return Index.of(next(names[payout.worker]) for payout in payouts)


def _auction_columns(auction: Auction) -> dict[str, Any]:
    return {
        "workers": to_ranges(auction.workers),
        "bids": auction.sealed.bids.tolist(),
        "seen": auction.sealed.seen.tolist(),
        "bonus": auction.sealed.bonus.tolist(),
        "pool": to_ranges(auction.pool),
        "prices": auction.prices,
    }


def _auction(given: dict[str, Any], cap: int) -> Auction:
    sealed = Sealed(
        np.array(given["bids"], dtype=np.int64),
        np.array(given["seen"], dtype=np.int64),
        np.array(given["bonus"], dtype=np.int64),
        cap,
    )
    return Auction(from_ranges(given["workers"]), sealed, from_ranges(given["pool"]), tuple(given["prices"]))


def _jury(row: list[Any]) -> Jury:
    phase, members, weights, prices, certified = row
    return Jury(
        Phase(phase),
        from_ranges(members),
        None if weights is None else tuple(weights),
        None if prices is None else tuple(prices),
        certified,
    )
