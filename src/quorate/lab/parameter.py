"""What a parameter may be: one rule, used by the values themselves and by the study file that names them."""

import dataclasses
import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, time
from enum import StrEnum
from typing import Any

from quorate.errors import InvalidInput, UnknownName
from quorate.money import show, to_millionths

_RULE = "rule"


class Kind(StrEnum):
    WHOLE = "a whole number"
    REAL = "a number"
    MONEY = "an amount"
    WORD = "a word"


@dataclass(frozen=True)
class Rule:
    """A kind, and a range (inclusive; money in millionths) or a choice of words; no choice allows every word.

    `said` tells a range that is checked elsewhere, with the parameters that it depends on.
    """

    kind: Kind
    lowest: float | None = None
    highest: float | None = None
    choices: tuple[str, ...] = ()
    said: str = ""

    @classmethod
    def one_of(cls, known: Iterable[str]) -> "Rule":
        return cls(Kind.WORD, choices=tuple(known))

    @property
    def allowed(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.said:
            return f"{self.kind} {self.said}"
        low, high = self._shown(self.lowest), self._shown(self.highest)
        if low and high:
            return f"{self.kind} from {low} to {high}"
        if low or high:
            return f"{self.kind} of at least {low}" if low else f"{self.kind} of at most {high}"
        return str(self.kind)

    def check(self, name: str, value: object) -> None:
        """Refuse a value in the form that it is kept in: money as millionths."""
        if not self._of_kind(value) or not self._in_range(value):
            given = self._shown(value) if self.kind is Kind.MONEY and _is_whole(value) else spelt(value)
            raise InvalidInput(f"{name} = {given} is not allowed{self._guess(value)}; give {self.allowed}")

    def read(self, name: str, value: object) -> Any:
        """The value as a study file gives it, checked and converted: amounts become millionths."""
        if self.kind is Kind.MONEY:
            try:
                value = to_millionths(value)
            except InvalidInput as error:
                raise InvalidInput(f"{name} = {spelt(value)} is not allowed ({error}); give {self.allowed}") from error
        elif self.kind is Kind.REAL and _is_whole(value):
            value = float(value)  # type: ignore[arg-type]
        self.check(name, value)
        return value

    def _of_kind(self, value: object) -> bool:
        if self.kind is Kind.WORD:
            return isinstance(value, str) and (not self.choices or value in self.choices)
        if self.kind is Kind.REAL:
            return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return _is_whole(value)

    def _in_range(self, value: Any) -> bool:
        return (self.lowest is None or value >= self.lowest) and (self.highest is None or value <= self.highest)

    def _guess(self, value: object) -> str:
        return suggestion(value, self.choices) if isinstance(value, str) else ""

    def _shown(self, bound: Any) -> str:
        if bound is None:
            return ""
        if self.kind is Kind.MONEY:
            return show(int(bound))
        return str(bound) if self.kind is Kind.WHOLE else f"{bound:.15g}"


def whole(default: int, *, lowest: int | None = None, highest: int | None = None) -> Any:
    """A dataclass field that holds a whole number."""
    return _field(default, Rule(Kind.WHOLE, lowest, highest))


def real(default: float, *, lowest: float | None = None, highest: float | None = None, said: str = "") -> Any:
    """A dataclass field that holds a number."""
    return _field(default, Rule(Kind.REAL, lowest, highest, said=said))


def money(default: int, *, lowest: int = 0, highest: int | None = None) -> Any:
    """A dataclass field that holds millionths."""
    return _field(default, Rule(Kind.MONEY, lowest, highest))


def word(default: str, *, choices: Iterable[str] = ()) -> Any:
    """A dataclass field that holds one of the choices, or any word where none are given."""
    return _field(default, Rule(Kind.WORD, choices=tuple(choices)))


def _field(default: object, rule: Rule) -> Any:
    return dataclasses.field(default=default, metadata={_RULE: rule})


def rules(kind: type[Any]) -> dict[str, Rule]:
    """The parameters of a dataclass, in their order."""
    return {field.name: field.metadata[_RULE] for field in dataclasses.fields(kind) if _RULE in field.metadata}


def values(instance: Any) -> dict[str, Any]:
    """The parameters' values, in their order."""
    return {name: getattr(instance, name) for name in rules(type(instance))}


def check_parameters(instance: Any) -> None:
    """For `__post_init__`: every parameter keeps its rule."""
    for name, rule in rules(type(instance)).items():
        rule.check(name, getattr(instance, name))


def check_order(instance: Any, low: str, high: str) -> None:
    """For `__post_init__`: a range's ends are in order."""
    if getattr(instance, low) > getattr(instance, high):
        rule = rules(type(instance))[low]
        below, above = (rule._shown(getattr(instance, name)) for name in (low, high))
        raise InvalidInput(f"{low} = {below} is above {high} = {above}; give the lower end first")


def spelt(value: object) -> str:
    """A value as TOML spells it, so that people find it in their file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list):
        return f"[{', '.join(map(spelt, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {spelt(held)}' for key, held in value.items())} }}"
    return repr(value)


def suggestion(given: str, known: Iterable[str]) -> str:
    """Names the known word that is near, if one is."""
    near = difflib.get_close_matches(given, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def check_keys(where: str, given: Mapping[str, object], known: Iterable[str]) -> None:
    """Refuse a key that nothing reads: a misspelt parameter must not be a silent default."""
    names = list(known)
    for key, value in given.items():
        if key not in names:
            raise UnknownName(
                f"{where}{key} = {spelt(value)}: there is no such key{suggestion(key, names)}; "
                f"give one of {', '.join(names)}"
            )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
