"""What `quorate.model.error.base.ErrorModel` promises, checked on juries drawn from a fixed seed."""

import numpy as np
import pytest
from numpy.typing import NDArray

from quorate.errors import InvalidInput, OutsideDomain
from quorate.model.error import AdditiveErrorModel, ErrorModel
from quorate.model.fixed_point import BILLIONTHS

SIZES = (1, 2, 3, 4, 5, 8, 13, 40)
STEPS = (1e-7, 1e-4, 1e-2, 0.05, 0.2, 0.5)
# All outcomes of a jury of so many are looked at one by one.
LARGEST_ENUMERATED = 13
# What float arithmetic may add to an error or take from it: errors are sums and products of at most 2^10 terms.
ROUNDING = 1e-12


def _least_error(jury: NDArray[np.float64]) -> float:
    """Half the sum, over who is right and who is not, of the smaller of its chance and that of the opposite."""
    chance, opposite = np.ones(1), np.ones(1)
    for quality in jury:
        chance = np.concatenate([chance * quality, chance * (1.0 - quality)])
        opposite = np.concatenate([opposite * (1.0 - quality), opposite * quality])
    return float(np.minimum(chance, opposite).sum() / 2.0)


def juries(floor: float, *, seed: int = 0, each: int = 6) -> list[NDArray[np.float64]]:
    """Juries of every size: at the floor, at 1, near both, and spread between."""
    random = np.random.default_rng(seed)
    drawn = []
    for size in SIZES:
        drawn += [np.full(size, floor), np.ones(size), np.linspace(floor, 1.0, size)]
        drawn += [
            floor + (1.0 - floor) * random.random(size) ** power for power in (0.2, 1.0, 5.0) for _ in range(each)
        ]
    return drawn


class ErrorModelContract:
    """Inherit, and define the fixture `model`."""

    @pytest.fixture
    def model(self) -> ErrorModel:
        raise NotImplementedError("define a fixture `model` that returns the error model to check")

    def test_it_follows_the_protocol(self, model: ErrorModel) -> None:
        assert isinstance(model, ErrorModel)
        assert model.name
        assert 0.0 <= model.floor < 1.0

    def test_it_is_a_frozen_value(self, model: ErrorModel) -> None:
        with pytest.raises(AttributeError):
            model.name = "another"  # type: ignore[misc]

    def test_an_error_is_a_chance(self, model: ErrorModel) -> None:
        for jury in [np.empty(0), *juries(model.floor)]:
            assert 0.0 <= model.error(jury) <= 1.0

    def test_asking_changes_nothing_and_gives_the_same_again(self, model: ErrorModel) -> None:
        for jury in juries(model.floor):
            given = jury.copy()
            first = model.error(jury)
            assert np.array_equal(jury, given)
            assert model.error(given) == first

    def test_a_jury_is_a_set(self, model: ErrorModel) -> None:
        random = np.random.default_rng(1)
        for jury in juries(model.floor):
            assert model.error(random.permutation(jury)) == pytest.approx(model.error(jury), rel=1e-9, abs=ROUNDING)

    def test_the_error_never_rises_with_a_quality(self, model: ErrorModel) -> None:
        """The paper's monotonicity."""
        random = np.random.default_rng(2)
        for jury in juries(model.floor):
            before = model.error(jury)
            for step in STEPS:
                for raised in (np.arange(len(jury)) == random.integers(len(jury)), random.random(len(jury)) < 0.5):
                    better = np.minimum(1.0, jury + step * raised)
                    assert model.error(better) <= before * (1.0 + 1e-9) + ROUNDING

    def test_smoothness_bounds_every_change(self, model: ErrorModel) -> None:
        """The paper's bounded smoothness."""
        random = np.random.default_rng(3)
        for jury in juries(model.floor):
            before = model.error(jury)
            for step in STEPS:
                for way in (-1.0, 1.0, random.uniform(-1.0, 1.0, len(jury))):
                    moved = np.clip(jury + step * way, model.floor, 1.0)
                    allowed = model.smoothness(step, len(jury))
                    assert abs(model.error(moved) - before) <= allowed * (1.0 + 1e-9) + ROUNDING

    def test_smoothness_grows_with_the_step_and_covers_smaller_juries(self, model: ErrorModel) -> None:
        for size in SIZES:
            allowed = np.array([model.smoothness(step, size) for step in (0.0, *STEPS)])
            assert allowed[0] == 0.0
            # Strictly, until the largest possible change is reached to the last digit.
            growing = (np.diff(allowed) > 0.0) | (allowed[:-1] >= allowed[-1] * (1.0 - 1e-9))
            assert growing.all()
            for smaller in SIZES[: SIZES.index(size)]:
                assert model.smoothness(0.01, smaller) <= model.smoothness(0.01, size) * (1.0 + 1e-9)

    def test_the_inverse_of_smoothness_inverts_it(self, model: ErrorModel) -> None:
        for size in SIZES:
            for share in (1e-6, 1e-3, 0.1, 0.5, 0.9):
                error = share * model.smoothness(0.5, size)
                step = model.smoothness_inverse(error, size)
                assert 0.0 < step <= 0.5
                assert model.smoothness(step, size) == pytest.approx(error, rel=1e-6)
            assert model.smoothness_inverse(model.smoothness(0.5, size) * 2.0, size) == 0.5

    def test_no_vote_errs_less_than_a_model_that_bounds_it(self, model: ErrorModel) -> None:
        """The vote that knows all qualities and takes the likelier answer errs least; a bound is above even that."""
        if not model.bounds_the_vote:
            pytest.skip(f"the error model {model.name!r} does not say that it bounds the vote")
        for jury in juries(model.floor):
            if 0 < len(jury) <= LARGEST_ENUMERATED:
                assert model.error(jury) >= _least_error(jury) * (1.0 - 1e-9) - ROUNDING

    def test_it_refuses_what_is_no_quality(self, model: ErrorModel) -> None:
        for bad in (np.nan, 1.0 + 1e-9, np.inf, -0.1):
            with pytest.raises(InvalidInput):
                model.error(np.array([1.0, bad]))

    def test_it_refuses_qualities_below_its_floor(self, model: ErrorModel) -> None:
        if model.floor == 0.0:
            pytest.skip(f"the error model {model.name!r} has no floor")
        for below in (model.floor - 1e-9, model.floor / 2.0):
            with pytest.raises(OutsideDomain):
                model.error(np.array([1.0, below]))

    def test_values_are_what_each_worker_brings(self, model: ErrorModel) -> None:
        values = self._additive(model).values
        qualities = np.linspace(0.0, 1.0, 1001)
        brought = values(qualities)
        assert brought.shape == qualities.shape
        assert not np.isnan(brought).any()
        assert (brought >= 0.0).all()
        assert (brought[qualities <= 0.5] == 0.0).all()
        assert (np.diff(brought[qualities >= model.floor]) > 0.0).all()
        assert all(np.array_equal(values(qualities[i : i + 1]), brought[i : i + 1]) for i in (0, 500, 700, 1000))

    def test_the_sum_of_values_says_whether_the_error_is_below_alpha(self, model: ErrorModel) -> None:
        additive = self._additive(model)
        for jury in juries(model.floor):
            error, brought = model.error(jury), float(additive.values(jury).sum())
            for alpha in (0.01, 0.05, 0.1, 0.3, 0.45):
                required = additive.requirement(alpha)
                assert required > 0.0
                if abs(brought - required) > 1.0 / BILLIONTHS:
                    assert (error < alpha) == (brought > required)

    @staticmethod
    def _additive(model: ErrorModel) -> AdditiveErrorModel:
        if not isinstance(model, AdditiveErrorModel):
            pytest.skip(f"the error model {model.name!r} is not additive")
        return model
