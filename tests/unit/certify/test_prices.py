"""Prices: exact to a billionth, one for each worker of LABELS."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from quorate.certify.matrix import GoldMatrix
from quorate.certify.prices import from_billionths, read_prices, show_price, to_billionths
from quorate.errors import InvalidInput

ALL = np.ones((2, 3), dtype=bool)
GOLD = GoldMatrix.from_booleans(ALL, ALL, ("ann", "bob"))
FRAME = pl.DataFrame({"worker": ["bob", "ann"], "price": ["0.25", "0.00177585"]})


@pytest.mark.parametrize(
    "prices",
    [
        FRAME,
        FRAME.rename({"price": "cost"}),
        FRAME.cast({"price": pl.Float64}),
        pd.DataFrame(FRAME.to_dict(as_series=False)),
        {"ann": 0.00177585, "bob": Decimal("0.25")},
        np.array([0.00177585, 0.25]),
        [0.00177585, "0.25"],
        pl.Series([0.00177585, 0.25]),
        pd.Series([0.00177585, 0.25]),
        pd.Series({"bob": 0.25, "ann": 0.00177585}),
        pd.DataFrame(FRAME.to_dict(as_series=False)).set_index("worker"),
    ],
    ids=[
        "polars",
        "cost",
        "floats",
        "pandas",
        "mapping",
        "array",
        "list",
        "polars series",
        "pandas series",
        "pandas series with names",
        "pandas index",
    ],
)
def test_prices_follow_the_workers_of_the_matrix(prices: object) -> None:
    assert read_prices(prices, GOLD).tolist() == [1_775_850, 250_000_000]  # type: ignore[arg-type]


def test_a_file_with_a_price_under_another_name(tmp_path: Path) -> None:
    FRAME.rename({"price": "usd"}).write_csv(tmp_path / "prices.csv")
    assert read_prices(tmp_path / "prices.csv", GOLD, "usd").tolist() == [1_775_850, 250_000_000]
    with pytest.raises(InvalidInput, match=r"its columns are worker, usd; it needs worker and price .*--price-column"):
        read_prices(tmp_path / "prices.csv", GOLD)


def test_without_prices_every_answer_costs_1() -> None:
    assert read_prices(None, GOLD).tolist() == [10**9, 10**9]


def test_a_column_of_no_prices_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'usd' is to be the column of prices, and no prices are given"):
        read_prices(None, GOLD, "usd")


BAD = {
    "a price for an unknown worker": ({"ann": 1, "bob": 1, "eve": 1}, "data row 3: worker 'eve' has a price but no"),
    "a worker without a price": ({"ann": 1}, "worker 'bob' has answers in LABELS but no price"),
    "an empty price": ({"ann": 1, "bob": None}, "data row 2: worker 'bob' has answers in LABELS but no price"),
    "not a number": ({"ann": 1, "bob": "1,5"}, "data row 2: the price of worker 'bob' '1,5' is not a "),
    "negative": ({"ann": 1, "bob": -2}, "the price of worker 'bob' '-2' is negative"),
    "infinite": ({"ann": 1, "bob": "inf"}, "the price of worker 'bob' 'inf' is not finite"),
    "too large": ({"ann": 1, "bob": 1e9}, "the price of worker 'bob' '1000000000' is above the largest price"),
    "far too large": ({"ann": 1, "bob": "1e15"}, "the price of worker 'bob' '1000000000000000' is above the largest"),
    "too small": ({"ann": 1, "bob": "1e-12"}, "the price of worker 'bob' '1e-12' is below a billionth"),
    "two prices": (
        pl.DataFrame({"worker": ["ann", "bob", "ann"], "price": [1, 1, 2]}),
        r"data row 3: worker 'ann' has a second price \(first in data row 1\)",
    ),
    "no worker": (pl.DataFrame({"worker": ["ann", None], "price": [1, 1]}), "data row 2: the worker is empty"),
    "an array of another length": (np.ones(3), r"PRICES has shape \(3,\) for 2 workers"),
    "a list of another length": ([1, 2, 3], r"PRICES has shape \(3,\) for 2 workers"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_prices_are_one_line(case: str) -> None:
    prices, message = BAD[case]
    with pytest.raises(InvalidInput, match=message) as caught:
        read_prices(prices, GOLD)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_an_array_cannot_price_workers_who_were_left_out() -> None:
    gold = GoldMatrix(("ann",), 3, GOLD.answered[:1], GOLD.right[:1], left_out=("bob",))
    with pytest.raises(InvalidInput, match=r"worker 'bob' is left out .*give prices by name"):
        read_prices(np.ones(2), gold)
    assert read_prices({"ann": 1, "bob": 2}, gold).tolist() == [10**9]


def test_a_billionth_is_the_grain() -> None:
    assert to_billionths("0.0000000016", "price") == 2
    assert to_billionths(0.1 + 0.2, "price") == 300_000_000
    assert from_billionths(1_775_850) == 0.00177585
    assert [show_price(p) for p in (0, 1_775_850, 1_234_500_000_000)] == ["0", "0.00177585", "1,234.5"]
