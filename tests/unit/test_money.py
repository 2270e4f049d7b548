"""Money in, exactly or not at all; money out, for people."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from quorate.errors import InvalidInput, QuorateError
from quorate.money import LARGEST, from_millionths, prices_to_millionths, show, to_millionths


@pytest.mark.parametrize(
    ("amount", "millionths"),
    [
        (0, 0),
        (-0.0, 0),
        (3, 3_000_000),
        (np.int64(3), 3_000_000),
        (0.25, 250_000),
        (np.float64(0.1), 100_000),
        (1e-06, 1),
        ("0.000001", 1),
        (" 1.5 ", 1_500_000),
        ("1e3", 1_000_000_000),
        (Decimal("19.999999"), 19_999_999),
        (Decimal("1." + "0" * 40), 1_000_000),
        (1_000_000, LARGEST),
    ],
)
def test_an_amount_in_units_becomes_millionths(amount: object, millionths: int) -> None:
    taken = to_millionths(amount)
    assert taken == millionths
    assert type(taken) is int


@pytest.mark.parametrize(
    ("amount", "rule", "remedy"),
    [
        (-1, "is negative", "give 0 or more"),
        ("-0.000001", "is negative", "give 0 or more"),
        (1e-07, "finer than a millionth", "round it to six decimals"),
        (0.1 + 0.2, "finer than a millionth", "round it to six decimals"),
        ("1e-999999", "finer than a millionth", "round it to six decimals"),
        (Decimal("1.0000000000000000000000000000001"), "finer than a millionth", "round it to six decimals"),
        (1_000_000.000001, "above the largest price", "use a larger unit"),
        ("1e999999", "above the largest price", "use a larger unit"),
        (float("nan"), "not finite", "give a non-negative decimal"),
        (float("inf"), "not finite", "give a non-negative decimal"),
        (Decimal("sNaN"), "not finite", "give a non-negative decimal"),
        ("ten", "not a decimal number", "give a non-negative decimal"),
        ("", "not a decimal number", "give a non-negative decimal"),
        (Fraction(1, 3), "not a decimal number", "give a non-negative decimal"),
        (True, "not a decimal number", "give a non-negative decimal"),
        (None, "not a decimal number", "give a non-negative decimal"),
        (b"1", "not a decimal number", "give a non-negative decimal"),
    ],
)
def test_what_is_no_price_is_refused_by_value_rule_and_remedy(amount: object, rule: str, remedy: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        to_millionths(amount, "the price of ada")
    message = str(refusal.value)
    assert message.startswith(f"the price of ada {amount!r}")
    assert rule in message
    assert remedy in message


def test_the_callers_decimal_context_changes_nothing() -> None:
    with localcontext() as context:
        context.prec = 10
        assert to_millionths("1.000001") == 1_000_001
        assert from_millionths(123_456_789_012) == Decimal("123456.789012")
        with pytest.raises(InvalidInput, match="finer than a millionth"):
            to_millionths("1.0000010000001")


def test_text_that_is_no_number_chains_its_cause() -> None:
    with pytest.raises(InvalidInput) as refusal:
        to_millionths("ten")
    assert refusal.value.__cause__ is not None


def test_many_prices_become_an_array_and_a_bad_one_is_named_by_position() -> None:
    taken = prices_to_millionths([0.5, "2", Decimal(1)])
    assert taken.dtype == np.int64
    assert taken.tolist() == [500_000, 2_000_000, 1_000_000]
    with pytest.raises(InvalidInput, match="price of worker 1 -2 is negative"):
        prices_to_millionths([0.5, -2])


def test_every_refusal_can_be_caught_as_a_value_error_or_as_quorates_own() -> None:
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(InvalidInput, QuorateError)


@pytest.mark.parametrize(
    ("amount", "decimals", "text"),
    [
        (1_234_567_000_000, None, "1,234,567"),
        (250_000, None, "0.25"),
        (1, None, "0.000001"),
        (0, None, "0"),
        (100_000_000, None, "100"),
        (1_999_999, 2, "2.00"),
        (1_234_500_000, 0, "1,234"),
    ],
)
def test_amounts_are_shown_with_no_more_decimals_than_needed(amount: int, decimals: int | None, text: str) -> None:
    assert show(amount, decimals) == text


def test_millionths_and_back_is_the_identity() -> None:
    for amount in (0, 1, 999_999, 10**12, 123_456_789_123):
        assert from_millionths(amount) * 1_000_000 == amount
