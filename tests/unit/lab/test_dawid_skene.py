"""The baseline of those who aggregate afterwards; crowd-kit is an extra (`make baselines`)."""

import sys

import numpy as np
import pytest

from quorate.lab.dawid_skene import dawid_skene


# crowd-kit's own use of pandas.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_it_weighs_workers_by_what_they_agree_on() -> None:
    pytest.importorskip("crowdkit", reason="crowd-kit is not installed: `make baselines` installs it")
    draws = np.random.Generator(np.random.Philox(1))
    truths = draws.random(500) < 0.5
    right = draws.random((10, 500)) < np.linspace(0.55, 0.95, 10)[:, None]
    answered = draws.random((10, 500)) < 0.8
    labels = right == truths
    found = dawid_skene(answered, labels)
    assert found is not None
    majority = 2 * (labels & answered).sum(axis=0) > answered.sum(axis=0)
    assert (found == truths).mean() > (majority == truths).mean() + 0.02


def test_without_crowd_kit_it_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crowdkit.aggregation", None)
    assert dawid_skene(np.ones((1, 1), dtype=np.bool_), np.ones((1, 1), dtype=np.bool_)) is None
