"""What error models are asked, put right or refused; what they answer is tested by contract and by enumeration."""

import math

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.model.error import ERROR_MODELS, ErrorModel, majority_error

every_model = pytest.mark.parametrize("model", ERROR_MODELS.values(), ids=ERROR_MODELS)


@every_model
def test_a_list_is_as_good_as_an_array(model: ErrorModel) -> None:
    assert model.error([0.9, 0.8]) == model.error(np.array([0.9, 0.8]))  # type: ignore[arg-type]
    assert model.error(np.array([1, 1])) == model.error(np.ones(2))


@every_model
def test_a_jury_that_is_no_list_of_numbers_is_refused(model: ErrorModel) -> None:
    for bad in (["high", "low"], [[0.9]], 0.9):
        with pytest.raises(InvalidInput, match="give"):
            model.error(bad)  # type: ignore[arg-type]


@every_model
def test_smoothness_needs_a_size_and_a_distance(model: ErrorModel) -> None:
    for ask in (model.smoothness, model.smoothness_inverse):
        with pytest.raises(InvalidInput, match="at most 0 workers have no smoothness; give a size of at least 1"):
            ask(0.1, 0)
        for bad in (-0.1, math.nan):
            with pytest.raises(InvalidInput, match=f"a change of {bad} is not 0 or more"):
                ask(bad, 3)


@pytest.mark.parametrize("bad", [1.5, -0.2, math.nan])
def test_the_exact_majority_refuses_what_is_no_quality(bad: float) -> None:
    with pytest.raises(InvalidInput, match=f"worker 0 has quality {bad}, outside"):
        majority_error(np.array([bad, 0.9, 0.9]))
