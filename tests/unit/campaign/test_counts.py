"""Running totals of a campaign."""

import pytest

from quorate.campaign.events import Basis
from quorate.campaign.state import Counts


@pytest.mark.parametrize("basis", list(Basis))
def test_verdicts_are_counted_by_what_they_rest_on(basis: Basis) -> None:
    counts = Counts(gold=3).with_verdict(basis).with_verdict(basis)
    assert (counts.decided, counts.gold) == (2, 3)
    assert counts.by_basis() == {**dict.fromkeys(map(str, Basis), 0), basis: 2}
