"""Ticks are round and inside; names are cut where both ends still tell them apart."""

import pytest

from quorate.certify.svg import Scale, percents, round_ends, shorten


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.9, 0.96, [0.9, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96]),
        (1.0, 1.0, [1.0]),
        (0.0, 7.3, [0.0, 2.0, 4.0, 6.0]),
    ],
)
def test_linear_ticks(low: float, high: float, ticks: list[float]) -> None:
    assert Scale(low, high, 0.0, 100.0).ticks(6) == ticks


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0009, 0.1, [0.001, 0.003, 0.01, 0.03, 0.1]),
        (0.9, 60.0, [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]),
        (3.1, 4.9, [3.1, 4.9]),
    ],
)
def test_logarithmic_ticks(low: float, high: float, ticks: list[float]) -> None:
    assert Scale(low, high, 0.0, 100.0, log=True).ticks(6) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("ticks", "labels"),
    [
        ([0.9, 0.925, 0.95, 0.975], ["90.0%", "92.5%", "95.0%", "97.5%"]),
        ([0.5, 0.6, 0.7], ["50%", "60%", "70%"]),
        ([0.94, 0.9425], ["94.00%", "94.25%"]),
    ],
)
def test_labels_of_shares_are_what_they_stand_at(ticks: list[float], labels: list[str]) -> None:
    assert percents(ticks) == labels


@pytest.mark.parametrize(("low", "high"), [(0.53, 0.83), (0.9342, 0.963), (0.0, 1.0), (0.871, 0.995)])
def test_round_ends_leave_no_band_beyond_the_last_line(low: float, high: float) -> None:
    ends = round_ends(low, high, 6)
    assert ends[0] <= low < high <= ends[1]
    ticks = Scale(*ends, 0.0, 100.0).ticks(6)
    assert (ticks[0], ticks[-1]) == pytest.approx(ends)


def test_a_scale_reaches_both_ends() -> None:
    for log in (False, True):
        scale = Scale(2.0, 8.0, 10.0, 70.0, log)
        assert (scale(2.0), scale(8.0)) == pytest.approx((10.0, 70.0))
    assert Scale(2.0, 8.0, 0.0, 100.0, log=True)(4.0) == pytest.approx(50.0)
    assert Scale(3.0, 3.0, 0.0, 100.0)(3.0) == 50.0


def test_shorten_keeps_both_ends() -> None:
    assert shorten("GPT-4/Vanilla@ba", 400.0) == "GPT-4/Vanilla@ba"
    cut = shorten("GPT-4/Metrics_Reference@ba", 100.0)
    assert cut.startswith("GPT-4")
    assert cut.endswith("@ba")
    assert len(cut) <= 13
