"""The search for bids that leaked is itself tried: it finds every form, and no digits of a hash."""

import pytest

from tests import written

BID = 13_771_910


@pytest.mark.parametrize(
    "text",
    ['"bid": "13.77191"', "asked 913.771910 at most", '{"amount":13771910}', "bid=0xd22486,", "0000000000D22486"],
)
def test_every_form_is_found(text: str) -> None:
    assert written.holds(text, BID)


@pytest.mark.parametrize("text", ["hash 77d22486a1", "at 1771377191012", "13.7719", ""])
def test_digits_of_something_else_are_not(text: str) -> None:
    assert not written.holds(text, BID)
    assert written.found(text, [BID, 1]) == []
