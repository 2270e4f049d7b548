"""Registries: an unknown name is refused with the names that exist."""

from collections.abc import Callable

import pytest

from quorate.errors import UnknownName
from quorate.model.error import ERROR_MODELS, error_model
from quorate.model.interval import INTERVALS, interval


@pytest.mark.parametrize(("registry", "look_up"), [(ERROR_MODELS, error_model), (INTERVALS, interval)])
def test_every_entry_is_found_by_the_name_it_gives_itself(registry: dict, look_up: Callable[[str], object]) -> None:
    for name, entry in registry.items():
        assert look_up(name) is entry
        assert entry.name == name


@pytest.mark.parametrize(("look_up", "known"), [(error_model, "log-odds"), (interval, "anytime")])
def test_an_unknown_name_is_refused_with_those_that_exist(look_up: Callable[[str], object], known: str) -> None:
    with pytest.raises(UnknownName, match=f"is called 'nonesuch'; there are .*{known}"):
        look_up("nonesuch")


def test_the_models_and_intervals_of_the_paper_and_ours_are_there() -> None:
    assert set(ERROR_MODELS) >= {"likelihood", "hoeffding", "linear", "majority", "log-odds"}
    assert set(INTERVALS) >= {"hoeffding", "anytime"}
