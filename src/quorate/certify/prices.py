"""What each worker asks per answer.

For a certificate nobody is paid: prices are added up and compared. They are kept to a billionth of the unit, a
thousandth of the grain of `quorate.money`, because one answer of a small model costs a few thousandths of a cent. For a
plan they are money.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quorate.certify.matrix import GoldMatrix
from quorate.certify.sources import ROW, Frame, Table, is_pandas_series, listed, prices_frame, read_table
from quorate.errors import InvalidInput
from quorate.money import to_millionths

if TYPE_CHECKING:
    import pandas as pd

# None: every answer costs 1.
Prices: TypeAlias = (
    "Frame | Mapping[str, object] | np.ndarray[Any, Any] | Sequence[object] | pl.Series | pd.Series[Any] | None"
)

GRAIN = Decimal("0.000000001")
MILLIONTH = Decimal("0.000001")
UNIT = 10**9
# What the column of prices is called when nobody says: ours, and the paper's word.
USUAL_NAMES = ("price", "cost")


def read_prices(prices: Prices, gold: GoldMatrix, column: str | None = None) -> NDArray[np.int64]:
    """Billionths per answer, one per worker of the gold matrix; without prices every answer costs 1.

    A table has the columns worker and `column` (price, or else cost, if none is named), others are ignored; or a
    mapping from worker to price (or a pandas Series with the workers as its index); or an array, a list or a Series in
    the order of the workers. Every worker of LABELS needs one price, and
    a price needs a worker of LABELS.
    """
    if prices is None:
        _check_unnamed(column)
        return np.full(len(gold), UNIT, dtype=np.int64)
    prices = _by_name(prices, gold)
    table = Table("PRICES", prices_frame(prices)) if isinstance(prices, Mapping) else read_table(prices, "PRICES")
    return _aligned(_price_rows(table, column), gold)


def _check_unnamed(column: str | None) -> None:
    """Where there are no prices, no column of theirs was meant."""
    if column is not None:
        raise InvalidInput(f"{column!r} is to be the column of prices, and no prices are given; give --prices too")


def _by_name(prices: Any, gold: GoldMatrix) -> Any:
    """Prices in the order of the workers, and a pandas Series with names as its index, as a mapping; others as they
    are.
    """
    if is_pandas_series(prices) and list(prices.index) != list(range(len(prices))):
        return {str(worker): amount for worker, amount in prices.items()}
    if not (isinstance(prices, np.ndarray | list | tuple | pl.Series) or is_pandas_series(prices)):
        return prices
    shape = np.shape(prices)
    if shape != (len(gold) + len(gold.left_out),):
        raise InvalidInput(
            f"PRICES has shape {shape} for {len(gold) + len(gold.left_out)} workers; give one per worker"
        )
    if gold.left_out:
        raise InvalidInput(
            f"PRICES has no names, and worker {gold.left_out[0]!r} is left out for want of gold answers; give prices by"
            " name, as a mapping"
        )
    return dict(zip(gold.workers, prices.tolist() if isinstance(prices, np.ndarray) else prices, strict=True))


def read_price_list(source: "Frame | None", column: str | None = None) -> NDArray[np.int64] | None:
    """Millionths, in the order of the table: prices that will be paid, of workers of whom nothing else is known."""
    if source is None:
        _check_unnamed(column)
        return None
    table = _price_rows(read_table(source, "PRICES"), column)
    if not table.frame.height:
        raise table.wrong(None, "it has no rows; give one per worker")
    amounts = []
    for row, worker, amount in table.frame.iter_rows():
        if amount is None:
            raise table.wrong(row, f"worker {worker!r} has no price; give one, or remove the row")
        amounts.append(_exact(table, row, worker, amount, to_millionths))
    return np.array(amounts, dtype=np.int64)


def _price_rows(table: Table, column: str | None) -> Table:
    """Rows (row, worker, price), each of a worker with a name, and no worker twice."""
    columns = table.frame.columns
    found = [name for name in ((column,) if column else USUAL_NAMES) if name in columns]
    if "worker" not in columns or not found:
        raise table.wrong(
            None,
            f"its columns are {listed(columns)}; it needs worker and {column or USUAL_NAMES[0]} (or"
            " name the column that holds the price with --price-column), separated by commas",
        )
    rows = table.numbered().select(ROW, "worker", pl.col(found[0]).alias("price"))
    seen: dict[str, int] = {}
    for row, worker, _ in rows.iter_rows():
        if worker is None:
            raise table.wrong(row, "the worker is empty; every price needs one")
        if worker in seen:
            raise table.wrong(
                row, f"worker {worker!r} has a second price (first in data row {seen[worker] + 1}); keep one"
            )
        seen[worker] = row
    return Table(table.name, rows)


def _aligned(table: Table, gold: GoldMatrix) -> NDArray[np.int64]:
    """Billionths in the order of the workers of the matrix: one price for each, and none for anybody else."""
    known = {*gold.workers, *gold.left_out}
    amounts = {worker: (row, amount) for row, worker, amount in table.frame.iter_rows()}
    for worker, (row, _) in amounts.items():
        if worker not in known:
            raise table.wrong(
                row, f"worker {worker!r} has a price but no answers in LABELS; check the name, or remove the row"
            )
    aligned = []
    for worker in gold.workers:
        row, amount = amounts.get(worker, (None, None))
        if amount is None:
            raise table.wrong(
                row, f"worker {worker!r} has answers in LABELS but no price; give one, or remove its answers"
            )
        aligned.append(_exact(table, row, worker, amount, to_billionths))
    return np.array(aligned, dtype=np.int64)


def _exact(table: Table, row: int, worker: str, amount: object, exact: Callable[[object, str], int]) -> int:
    """The amount as a whole number of its grain, or where it stands and why it is none."""
    try:
        return exact(amount, f"the price of worker {worker!r}")
    except InvalidInput as error:
        raise table.wrong(row, str(error)) from error


def to_billionths(amount: object, what: str) -> int:
    """The amount in billionths, finer digits rounded; the rules for an amount are those of `quorate.money`."""
    try:
        exact = Decimal(str(amount).strip())
        rounded = exact.quantize(GRAIN)
    except InvalidOperation:
        exact = rounded = Decimal("NaN")
    coarse = f"{rounded.quantize(MILLIONTH).normalize():f}" if exact.is_finite() and exact >= 0 else str(amount)
    # Not a number, negative, infinite or absurdly large: refused in the house's own words.
    to_millionths(coarse, what)
    if exact > 0 and rounded == 0:
        raise InvalidInput(f"{what} {amount!r} is below a billionth of a unit; use a smaller unit")
    return int(rounded.scaleb(9))


def from_billionths(amount: int) -> float:
    """The amount in units, as the nearest float: for output."""
    return float(Decimal(int(amount)).scaleb(-9))


def show_price(amount: int) -> str:
    """For people: no more digits than needed."""
    text = f"{Decimal(int(amount)).scaleb(-9):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
