"""A study from TOML. Every wrong key or value is one line that names it and says what is allowed."""

import itertools
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from quorate.errors import InvalidInput, QuorateError
from quorate.lab.parameter import Kind, Rule, check_keys, rules, spelt
from quorate.lab.policies import POLICY_KINDS, PolicyKind
from quorate.lab.study import Promise, Study, described
from quorate.lab.world import WORLDS, Record, RecordedWorld, WorldKind
from quorate.mechanism import PAYMENTS
from quorate.money import LARGEST, show

# From the paths of labels, truth and prices (or None) and the prices' column to the record. `quorate simulate` gives
# one that reads files; the lab itself does not read labels.
RecordReader = Callable[[Path, Path, Path | None, str], Record]
TOP = ("samples", "seed", "chunk", "payments", "problem", "world", "policy")
FILES = ("labels", "truth", "prices", "price_column")
# What commands that read labels call these files and that option, outside of file names: here they are keys.
KEYS = {"LABELS": "labels", "TRUTH": "truth", "PRICES": "prices", "--price-column": "price_column"}
ROLE = re.compile(rf"(?<![\w./-])({'|'.join(KEYS)})(?![\w./-])")
T = TypeVar("T")


def read_study(path: Path, *, seed: int | None = None, read_record: RecordReader | None = None) -> Study:
    """The study that a TOML file describes; `seed` overrides the file's. Relative paths in it start at its folder."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: it is not text (byte {error.start} is not UTF-8); save it as UTF-8") from error
    except OSError as error:
        raise InvalidInput(f"{path}: it cannot be read ({error.strerror}); check the path") from error
    try:
        return parse_study(text, folder=path.parent, seed=seed, read_record=read_record)
    except QuorateError as error:
        raise InvalidInput(f"{path}: {error}") from error


def parse_study(
    text: str, *, folder: Path = Path(), seed: int | None = None, read_record: RecordReader | None = None
) -> Study:
    """The study that this TOML describes."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"it is not TOML: {error}; see https://toml.io") from error
    check_keys("", given, TOP)
    top = rules(Study)
    numbers = {name: top[name].read(name, given[name]) for name in top if name in given}
    if seed is not None:
        numbers["seed"] = top["seed"].read("--seed", seed)
    promises = _grid("problem.", _table("problem", given.get("problem", {})), rules(Promise), Promise)
    worlds: list[WorldKind] = []
    for where, table in _tables("world", given):
        for kind in _named(where, "kind", table, WORLDS):
            found = _worlds(where, table, kind, folder, read_record)
            _check_caps(where, found, promises)
            _check_repeated(where, found, worlds)
            worlds += found
    policies: list[PolicyKind] = []
    for where, table in _tables("policy", given):
        for policy in _named(where, "name", table, POLICY_KINDS):
            named = _grid(where, _without(table, "name"), rules(policy), policy)
            _check_policies(where, named, promises)
            _check_repeated(where, named, policies)
            policies += named
    payments = _payments(given.get("payments", []))
    return Study(tuple(worlds), tuple(promises), tuple(policies), payments, **numbers)


def _worlds(
    where: str, table: dict[str, Any], kind: type[WorldKind], folder: Path, read_record: RecordReader | None
) -> list[WorldKind]:
    rest = _without(table, "kind")
    if kind is not RecordedWorld:
        return _grid(where, rest, rules(kind), kind)
    record = _record(where, rest, folder, read_record)
    known = rules(RecordedWorld)
    check_keys(where, rest, [*FILES, *known])
    return _grid(where, _without(rest, *FILES), known, lambda **given: RecordedWorld(record, **given))


def _record(where: str, table: dict[str, Any], folder: Path, read_record: RecordReader | None) -> Record:
    if read_record is None:
        raise InvalidInput(f"{where}kind = 'recorded' needs a reader of label files; give `read_record`")
    for name in ("labels", "truth"):
        if name not in table:
            raise InvalidInput(f"{where}{name} is missing; a recorded world needs the paths `labels` and `truth`")
    given = {name: Rule(Kind.WORD).read(f"{where}{name}", table[name]) for name in FILES if name in table}
    prices = folder / given["prices"] if "prices" in given else None
    try:
        return read_record(
            folder / given["labels"], folder / given["truth"], prices, given.get("price_column", "price")
        )
    except InvalidInput as error:
        raise InvalidInput(ROLE.sub(lambda role: f"{where}{KEYS[role[0]]}", str(error))) from error


def _tables(name: str, given: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The tables [[name]], each with the prefix of its keys; counted from 1."""
    tables = given.get(name, [])
    if isinstance(tables, dict) or not isinstance(tables, list):
        shown = "a single table" if isinstance(tables, dict) else spelt(tables)
        raise InvalidInput(f"{name} is {shown}; write [[{name}]], once for each {name}")
    if not tables:
        raise InvalidInput(f"{name} is missing; write at least one [[{name}]]")
    return [(f"{name}[{i}].", _table(f"{name}[{i}]", table)) for i, table in enumerate(tables, 1)]


def _table(name: str, given: object) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise InvalidInput(f"{name} = {spelt(given)} is not allowed; give a table of keys and values")
    return given


def _named(where: str, key: str, table: Mapping[str, Any], known: Mapping[str, type[T]]) -> list[type[T]]:
    """The registered kinds that a table names: one, or a list."""
    if key not in table:
        raise InvalidInput(f"{where}{key} is missing; give one of {', '.join(known)}")
    return [known[name] for name in _listed(where, key, table[key], Rule.one_of(known))]


def _grid(where: str, table: Mapping[str, Any], known: Mapping[str, Rule], make: Callable[..., T]) -> list[T]:
    """Every combination of the listed values, the last key fastest, in the order in which parameters are declared."""
    check_keys(where, table, known)
    names = [name for name in known if name in table]
    choices = [_listed(where, name, table[name], known[name]) for name in names]
    found = []
    for combination in itertools.product(*choices):
        try:
            found.append(make(**dict(zip(names, combination, strict=True))))
        except InvalidInput as error:
            raise InvalidInput(f"{where}{error}") from error
    return found


def _listed(where: str, name: str, given: object, rule: Rule) -> list[Any]:
    """One value, or each of a list; a list is a grid."""
    listed = given if isinstance(given, list) else [given]
    if not listed:
        raise InvalidInput(f"{where}{name} = [] is not allowed; give {rule.allowed}, or a list of such")
    read = [rule.read(f"{where}{name}", value) for value in listed]
    for i, value in enumerate(read):
        if value in read[:i]:
            raise InvalidInput(
                f"{where}{name} = {spelt(given)} is not allowed: it names {spelt(listed[i])} twice; name each value "
                "once"
            )
    return read


def _check_caps(where: str, kinds: list[WorldKind], promises: list[Promise]) -> None:
    """A cap below a world's prices would refuse its workers."""
    given = [promise.cap for promise in promises if promise.cap]
    for kind in kinds if given else ():
        highest = kind.draw(0).cap
        if min(given) < highest:
            raise InvalidInput(
                f"problem.cap = {show(min(given))} is not allowed: prices in {where.rstrip('.')} ({kind.name}) go up "
                f"to {show(highest)}; give at least that, or leave cap out"
            )


def _check_repeated(
    where: str, kinds: Sequence[WorldKind | PolicyKind], before: Sequence[WorldKind | PolicyKind]
) -> None:
    """The same again would be run again, and its rows counted with the first one's."""
    known = [(kind.name, described(kind)) for kind in before]
    for kind in kinds:
        if (kind.name, described(kind)) in known:
            raise InvalidInput(
                f"{where.rstrip('.')} repeats an earlier one: {kind.name} with the same parameters; remove it, or "
                "change a parameter"
            )


def _check_policies(where: str, kinds: list[PolicyKind], promises: list[Promise]) -> None:
    """Build each policy once, so that parameters which do not go together are found before anything runs."""
    for kind, promise in itertools.product(kinds, promises):
        try:
            kind.build(promise.problem(LARGEST), 0)
        except InvalidInput as error:
            raise InvalidInput(f"{where}name = {kind.name!r} with {_shown(kind)}: {error}") from error


def _shown(kind: PolicyKind) -> str:
    return ", ".join(f"{field.name} = {spelt(getattr(kind, field.name))}" for field in fields(kind))


def _payments(given: object) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise InvalidInput(f"payments = {spelt(given)} is not allowed; give a list with any of {', '.join(PAYMENTS)}")
    return tuple(_listed("", "payments", given, Rule.one_of(PAYMENTS))) if given else ()


def _without(table: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in names}
