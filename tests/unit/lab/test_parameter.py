"""A rule refuses in one line that names the key, the value and what is allowed."""

from dataclasses import dataclass

import pytest

from quorate.errors import InvalidInput, UnknownName
from quorate.lab.parameter import check_keys, check_order, check_parameters, money, real, rules, whole, word


@dataclass(frozen=True)
class Example:
    workers: int = whole(5, lowest=1)
    share: float = real(0.5, lowest=0.0, highest=1.0)
    price: int = money(2_000_000, highest=20_000_000)
    upper: int = money(3_000_000)
    model: str = word("linear", choices=("linear", "log-odds"))
    note: str = word("free")

    def __post_init__(self) -> None:
        check_parameters(self)
        check_order(self, "price", "upper")


RULES = rules(Example)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("workers", 0, "at = 0 is not allowed; give a whole number of at least 1"),
        ("workers", 2.5, "at = 2.5 is not allowed; give a whole number of at least 1"),
        ("workers", True, "at = true is not allowed; give a whole number of at least 1"),
        ("workers", "5", "at = '5' is not allowed; give a whole number of at least 1"),
        ("share", 1.5, "at = 1.5 is not allowed; give a number from 0 to 1"),
        ("share", float("nan"), "at = nan is not allowed; give a number from 0 to 1"),
        ("price", 25, "at = 25 is not allowed; give an amount from 0 to 20"),
        ("model", "linaer", "at = 'linaer' is not allowed (did you mean 'linear'?); give one of linear, log-odds"),
        ("model", "zzz", "at = 'zzz' is not allowed; give one of linear, log-odds"),
        ("note", 3, "at = 3 is not allowed; give a word"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(name: str, value: object, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        RULES[name].read("at", value)
    assert str(refusal.value) == message


def test_an_amount_says_why_it_is_none() -> None:
    with pytest.raises(
        InvalidInput, match=r"^at = -1 is not allowed \(price -1 is negative.*; give an amount from 0 to 20$"
    ):
        RULES["price"].read("at", -1)


def test_amounts_are_read_in_units_and_kept_in_millionths() -> None:
    assert RULES["price"].read("at", 12.5) == 12_500_000
    assert RULES["price"].read("at", 0.1) == 100_000


def test_a_whole_number_is_a_number() -> None:
    read = RULES["share"].read("at", 1)
    assert isinstance(read, float)
    assert read == 1.0


def test_values_check_themselves() -> None:
    with pytest.raises(InvalidInput, match=r"^workers = 0 is not allowed"):
        Example(workers=0)
    with pytest.raises(InvalidInput, match=r"^price = 4 is above upper = 3; give the lower end first$"):
        Example(price=4_000_000)


def test_a_misspelt_key_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName) as refusal:
        check_keys("world[1].", {"wrokers": 3}, RULES)
    assert str(refusal.value) == (
        "world[1].wrokers = 3: there is no such key (did you mean 'workers'?); "
        "give one of workers, share, price, upper, model, note"
    )
