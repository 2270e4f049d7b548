"""Cases as JSON files: money in units of the currency, exact decimals (`quorate audit --case`)."""

import json
import re
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from quorate.errors import InvalidInput
from quorate.mechanism import Randomised
from quorate.mechanism.audit.case import DEFAULT_MU, UNREAD, Case
from quorate.mechanism.audit.replay import Lie, Replay, Result
from quorate.mechanism.audit.strict_json import read_object
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.model.error import ERROR_MODELS, AdditiveErrorModel
from quorate.model.realization import Recorded
from quorate.money import MILLIONTHS, Money, to_millionths
from quorate.policy import PAPER_POLICIES, Stopping
from quorate.policy.assured_joint import DEFAULT_MAX_SIZE
from quorate.policy.pool import DEFAULT_KAPPA, stopping_rule

REQUIRED = ("bids", "cap", "realization", "vary", "grid")
# A fraction or a decimal of a few digits; Python's own would spend a lifetime on 1e999999999.
FRACTION = re.compile(r"\d{1,9}(/\d{1,9}|\.\d{1,9})?")
DEFAULTS = {field.name: field.default for field in fields(Case) if field.default is not MISSING}


@dataclass(frozen=True)
class Instead:
    """What takes the place of what a file says, or of what it leaves open: CCB-S with GA, nothing paid."""

    policy: str | None = None
    selector: str | None = None
    error: str | None = None
    payment: str | None = None

    def within(self, given: dict[str, Any]) -> dict[str, Any]:
        """Another policy takes its own selector and interval and leaves what means nothing to it, another payment and
        another error model their own options, unless chosen too. A requirement stays, to be refused: nothing else says
        what must be reached.
        """
        dropped: set[str] = set()
        if self.policy is not None and self.policy != given.get("policy", DEFAULTS["policy"]):
            dropped |= {"selector", "interval", *UNREAD.get(self.policy, ())} - {"requirement"}
        if self.error is not None and self.error != given.get("error"):
            dropped |= {"epsilon"}
        if self.payment is not None and self.payment != given.get("payment"):
            dropped |= {"one_in", "coins"}
        chosen = {key: value for key, value in asdict(self).items() if value is not None}
        return {key: value for key, value in given.items() if key not in dropped} | chosen


def parse_case(text: str, source: str = "case", instead: Instead | None = None) -> Case:
    """A case from JSON; every complaint is one line that names the file and the key."""
    given = read_object(text, source)
    unknown = sorted(set(given) - KEYS)
    if unknown:
        raise InvalidInput(f"{source}: unknown key {unknown[0]!r}; there are {', '.join(sorted(KEYS))}")
    for key in REQUIRED:
        if key not in given:
            raise InvalidInput(f"{source}: the key {key!r} is missing; a case needs {', '.join(REQUIRED)}")
    return _Reader((instead or Instead()).within(given), source).case()


def load_case(path: Path, instead: Instead | None = None) -> Case:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not a text file: {error.reason} at byte {error.start}") from error
    return parse_case(text, str(path), instead)


class _Reader:
    """Reads one JSON object key by key, and says which key is wrong."""

    def __init__(self, given: dict[str, Any], source: str) -> None:
        self._given = given
        self._source = source

    def case(self) -> Case:
        rows = self._read("realization", lambda value: Recorded.of(_table(value)).matrix)
        horizon = self._read("horizon", _whole, rows.shape[1])
        if not 1 <= horizon <= rows.shape[1]:
            raise InvalidInput(
                f"{self._source}: 'horizon' is {horizon} and the realization has {rows.shape[1]} tasks; "
                f"give at least one task and no more than there are columns"
            )
        vary = self._read("vary", _whole)
        policy = self._read("policy", _text, "ccb-s")
        paper = policy in PAPER_POLICIES
        error = self._read("error", _text, "linear" if paper or "requirement" in self._given else "log-odds")
        for key in UNREAD.get(policy, ()):
            if self._given.get(key) is not None:
                raise InvalidInput(f"{self._source}: {key!r} means nothing to {policy!r}; leave it out")
        stopping = self._read("stopping", stopping_rule, Stopping.PRICE_GAP)
        if "eliminates" in self._given and stopping is Stopping.HEAD_COUNT:
            raise InvalidInput(f"{self._source}: 'eliminates' means nothing under head counts; leave it out")
        if "one_in" in self._given and self._given.get("payment") != Randomised.name:
            raise InvalidInput(f"{self._source}: 'one_in' means nothing without the payment 'randomised'; leave it out")
        try:
            return Case(
                bids=self._read("bids", lambda value: _bids(value, vary)),
                cap=self._read("cap", lambda value: to_millionths(value, "cap")),
                rows=np.ascontiguousarray(rows[:, :horizon]),
                vary=vary,
                grid=self._read("grid", lambda value: _bids(value, None)),
                requirement=self._read("requirement", _decimal, None),
                target=self._read("target", _number, None),
                error=error,
                epsilon=self._read("epsilon", _number, DEFAULTS["epsilon"]),
                slack=self._read("slack", _decimal, Decimal(0)),
                mu=self._read("mu", _number, DEFAULT_MU),
                policy=policy,
                selector=self._read("selector", _text, _own_selector(policy, error, "requirement" in self._given)),
                interval=self._read("interval", _text, "hoeffding" if paper else "anytime"),
                pool=self._read("pool", _whole, None),
                kappa=self._read("kappa", _fraction, DEFAULT_KAPPA),
                eliminates=self._read("eliminates", _truth, True),
                stopping=stopping,
                max_size=self._read("max_size", _whole, DEFAULT_MAX_SIZE),
                seed=self._read("seed", _whole, 0),
                payment=self._read("payment", _text, None),
                cost=self._read("cost", lambda value: to_millionths(value, "cost"), None),
                one_in=self._read("one_in", _whole, DEFAULT_ONE_IN),
                coins=self._read("coins", _whole, None),
            )
        except InvalidInput as error:
            if str(error).startswith(self._source):
                raise
            raise InvalidInput(f"{self._source}: {error}") from error

    def _read(self, key: str, convert: Callable[[Any], Any], default: Any = MISSING) -> Any:
        if key not in self._given or (self._given[key] is None and default is None):
            return default
        value = self._given[key]
        try:
            return convert(value)
        except (InvalidInput, TypeError, ValueError) as error:
            raise InvalidInput(f"{self._source}: {key!r} is {_short(value)}: {error}") from error


def _own_selector(policy: str, error: str, bare: bool) -> str:
    """GA for the paper's policies, `exact` for ours; what is not additive has a selector of its own. A bare
    requirement is additive, whatever the error model.
    """
    model = ERROR_MODELS.get(error)
    if model is not None and not bare and not isinstance(model, AdditiveErrorModel):
        return error
    return "greedy" if policy in PAPER_POLICIES else "exact"


KEYS = {
    "bids", "cap", "realization", "vary", "grid", "horizon", "requirement", "target", "error", "epsilon", "slack", "mu",
    "policy", "selector", "interval", "pool", "kappa", "eliminates", "stopping", "max_size", "seed", "payment", "cost",
    "one_in", "coins", "about",
}  # fmt: skip


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _table(value: Any) -> list[list[int]]:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise InvalidInput("give a list with one row of 0 and 1 per worker")
    if len({len(row) for row in value}) > 1:
        raise InvalidInput("the rows differ in length; give every worker the same tasks")
    if not all(entry in (0, 1) for row in value for entry in row):
        raise InvalidInput("an entry is neither 0 nor 1; 1 says that the worker is right on the task")
    return value


def _bids(value: Any, blank: int | None) -> np.ndarray:
    """Money in units; the varied worker's own entry may be null, as the grid replaces it."""
    if not isinstance(value, list):
        raise InvalidInput("give a list of bids")
    amounts = [0 if bid is None and at == blank else to_millionths(bid, f"bid {at}") for at, bid in enumerate(value)]
    return np.array(amounts, dtype=np.int64)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput("give a whole number")
    return value


def _number(value: Any) -> float:
    return float(_decimal(value))


def _decimal(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InvalidInput("give a number")
    return Decimal(value)


def _fraction(value: Any) -> Fraction:
    if isinstance(value, bool) or not FRACTION.fullmatch(str(value)):
        raise InvalidInput('give a number of at most nine digits, or a fraction in quotation marks such as "1/16"')
    try:
        return Fraction(str(value))
    except ZeroDivisionError as error:
        raise InvalidInput("nothing can be divided by 0; give another denominator") from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput("give a name in quotation marks")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput("give true or false")
    return value


def units(amount: Money | Fraction) -> int | float:
    """Money in units as JSON shows it: the shortest decimal, which reads back to the same millionths.

    A mean over coins, which may be no whole millionth, is the nearest number that a float holds.
    """
    exact = Fraction(amount) / MILLIONTHS
    return int(exact) if exact.denominator == 1 else float(exact)


def case_to_json(case: Case, about: str | None = None) -> str:
    """The case as JSON that `parse_case` reads back; what has its default value is left out. One row a line."""
    head: dict[str, Any] = {"about": about} if about else {}
    head |= {"bids": [units(int(bid)) for bid in case.bids], "cap": units(case.cap)}
    if case.requirement is not None:
        head["requirement"] = float(case.requirement)
    else:
        head["target"] = case.target
    head |= {"error": case.error, "mu": case.mu, "horizon": case.horizon, "vary": case.vary}
    head["grid"] = [units(int(bid)) for bid in case.grid]
    head |= {"policy": case.policy, "selector": case.selector, "interval": case.interval}
    head = {key: value for key, value in head.items() if key not in UNREAD[case.policy]}
    optional: dict[str, Any] = {
        "epsilon": case.epsilon,
        "slack": float(case.slack),
        "pool": case.pool,
        "kappa": str(case.kappa),
        "eliminates": case.eliminates,
        "max_size": case.max_size,
        "stopping": case.stopping.value,
        "seed": case.seed,
        "payment": case.payment,
        "cost": None if case.cost is None else units(case.cost),
        "one_in": case.one_in,
        "coins": case.coins,
    }
    left_out = {name: DEFAULTS[name] for name in optional} | {"kappa": str(DEFAULT_KAPPA), "slack": 0.0}
    left_out["stopping"] = Stopping.PRICE_GAP.value
    head |= {name: value for name, value in optional.items() if value != left_out[name]}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    rows = ",\n".join("    " + json.dumps(row, separators=(",", ":")) for row in case.rows.astype(int).tolist())
    return "{\n" + ",\n".join([*lines, f'  "realization": [\n{rows}\n  ]']) + "\n}\n"


def replay_to_json(case: Case, replayed: Replay) -> dict[str, Any]:
    """A stable contract (docs/counterexamples.md): `results` in the grid's order, and `monotone`.

    With a payment also what each bid earns, what is claimed of the pairing, the best lie, and the bids that are paid
    less than they ask.
    """
    told: dict[str, Any] = {"policy": case.policy, "selector": case.selector, "vary": case.vary}
    told["results"] = [_result_json(case, result) for result in replayed.results]
    told["monotone"] = replayed.monotone
    if replayed.pairing is not None:
        told |= {"payment": case.payment, "truthful": replayed.pairing.truthful, "why": replayed.pairing.why}
        told |= {"coins": case.coins} if case.coins is not None else lie_to_json(case, replayed.best_lie)
        told["paid_below_bid"] = [units(result.bid) for result in replayed.losses]
    return told


def _result_json(case: Case, result: Result) -> dict[str, Any]:
    entry: dict[str, Any] = {"bid": units(result.bid), "tasks": list(result.tasks), "stop": result.stop}
    entry["jury"] = list(result.jury)
    if result.earning is not None:
        if case.averages:
            entry["expected_tasks"] = float(result.earning.tasks)
        entry |= {"pay": units(result.earning.pay), "utility": units(result.earning.utility)}
    return entry


def lie_to_json(case: Case, lie: Lie | None) -> dict[str, Any]:
    """Whose lie it is, and what it gains: in units, and as a share of what the truth earns."""
    told: dict[str, Any] = {"worker": case.vary, "cost": None if case.cost is None else units(case.cost)}
    if lie is None:
        return told | {"lie": None, "gain": 0, "gain_share": None}
    return told | {"lie": units(lie.bid), "gain": units(lie.gain), "gain_share": lie.share}
