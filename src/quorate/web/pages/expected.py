"""What a requester expects of workers: it shapes predictions alone, so it stands in a cookie and not in the ledger."""

from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response

from quorate.money import LARGEST, Money

COOKIE = "quorate_expected"
REMEMBERED_SECONDS = 180 * 24 * 3600
# From a browser that did not draft the campaign: the workers and qualities that the form begins with, and any price.
WORKERS = 60
LOW, HIGH = 0.6, 0.95


@dataclass(frozen=True)
class Expected:
    """How many workers will bid, between which prices, and between which shares of right answers."""

    workers: int = WORKERS
    price_range: tuple[Money, Money] = (0, LARGEST)
    quality_range: tuple[float, float] = (LOW, HIGH)


def remember_expected(response: Response, campaign: str, expected: Expected) -> None:
    """For the pages of this campaign, in this browser."""
    numbers = (expected.workers, *expected.price_range, *expected.quality_range)
    response.set_cookie(
        COOKIE,
        "_".join(map(str, numbers)),
        max_age=REMEMBERED_SECONDS,
        path=f"/c/{campaign}",
        httponly=True,
        samesite="lax",
    )


def expected_of(request: Request) -> Expected:
    """As remembered; a cookie that says nothing sensible says nothing at all."""
    try:
        workers, low_price, high_price, low, high = request.cookies.get(COOKIE, "").split("_")
        return Expected(int(workers), (int(low_price), int(high_price)), (float(low), float(high)))
    except ValueError:
        return Expected()
