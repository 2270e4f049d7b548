"""Every registered error model keeps the contract; each promise of it is broken once, to see that it can fail."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from quorate.model.error import ERROR_MODELS, ErrorModel, Hoeffding, Likelihood, Linear, LogOdds, Majority, Margin
from quorate.testing import ErrorModelContract
from tests.contract.broken import FAILED, check_every_promise_has_a_control, run_contract


class TestRegisteredErrorModels(ErrorModelContract):
    @pytest.fixture(params=sorted(ERROR_MODELS))
    def model(self, request: pytest.FixtureRequest) -> ErrorModel:
        return ERROR_MODELS[request.param]


class TestAnotherEpsilon(ErrorModelContract):
    @pytest.fixture(params=[0.02, 0.3, 0.49])
    def model(self, request: pytest.FixtureRequest) -> ErrorModel:
        return Linear(epsilon=request.param)


class Unfrozen:
    """Delegates, and lets anybody change it."""

    def __init__(self) -> None:
        self.name, self.floor = "unfrozen", 0.5
        self.error, self.smoothness = Majority().error, Majority().smoothness
        self.smoothness_inverse = Majority().smoothness_inverse


@dataclass(frozen=True)
class AboveOne(Majority):
    def error(self, qualities: NDArray[np.float64]) -> float:
        return super().error(qualities) * 3.0


@dataclass(frozen=True)
class SortsInPlace(Majority):
    def error(self, qualities: NDArray[np.float64]) -> float:
        qualities.sort()
        return super().error(qualities)


@dataclass(frozen=True)
class FollowsTheFirst(Majority):
    def error(self, qualities: NDArray[np.float64]) -> float:
        return super().error(qualities[:1])


@dataclass(frozen=True)
class ByVariance(Majority):
    """The normal approximation, as if variance were what matters: certain workers make it worse."""

    def error(self, qualities: NDArray[np.float64]) -> float:
        super().error(qualities)
        return float(0.5 - (qualities * (1.0 - qualities)).sum() / (2.0 * max(1, len(qualities))))


@dataclass(frozen=True)
class TooSmooth(Majority):
    def smoothness(self, delta: float, size: int) -> float:
        return super().smoothness(delta, size) / 2.0


@dataclass(frozen=True)
class LogOddsWithALipschitzConstant(LogOdds):
    """Its slope at q = 1 is infinite, so no constant will do."""

    def smoothness(self, delta: float, size: int) -> float:
        return 10.0 * size * delta


@dataclass(frozen=True)
class FlatSmoothness(Hoeffding):
    def smoothness(self, delta: float, size: int) -> float:
        return 1.0


@dataclass(frozen=True)
class WrongInverse(Hoeffding):
    def smoothness_inverse(self, error: float, size: int) -> float:
        return min(0.5, error)


@dataclass(frozen=True)
class AnythingGoes(Majority):
    def error(self, qualities: NDArray[np.float64]) -> float:
        return 0.1


@dataclass(frozen=True)
class BelowItsFloor(Linear):
    def error(self, qualities: NDArray[np.float64]) -> float:
        return float(np.exp(-self.epsilon * self.values(qualities).sum()))


@dataclass(frozen=True)
class CreditsSpammers(LogOdds):
    def values(self, qualities: NDArray[np.float64]) -> NDArray[np.float64]:
        return super().values(np.maximum(qualities, 1.0 - qualities))


@dataclass(frozen=True)
class AsksTooLittle(Linear):
    def requirement(self, alpha: float) -> float:
        return super().requirement(alpha) * 0.9


@dataclass(frozen=True)
class LikelihoodAsABound(Likelihood):
    """The chance of one outcome, sold as that of the wrong verdict."""

    bounds_the_vote: ClassVar[bool] = True


@dataclass(frozen=True)
class MarginAsABound(Margin):
    bounds_the_vote: ClassVar[bool] = True


CONTROLS = [
    ("test_it_follows_the_protocol", Majority(name="")),
    ("test_it_is_a_frozen_value", Unfrozen()),
    ("test_an_error_is_a_chance", AboveOne()),
    ("test_asking_changes_nothing_and_gives_the_same_again", SortsInPlace()),
    ("test_a_jury_is_a_set", FollowsTheFirst()),
    ("test_the_error_never_rises_with_a_quality", ByVariance()),
    ("test_smoothness_bounds_every_change", TooSmooth()),
    ("test_smoothness_bounds_every_change", LogOddsWithALipschitzConstant()),
    ("test_smoothness_grows_with_the_step_and_covers_smaller_juries", FlatSmoothness()),
    ("test_the_inverse_of_smoothness_inverts_it", WrongInverse()),
    ("test_no_vote_errs_less_than_a_model_that_bounds_it", LikelihoodAsABound()),
    ("test_no_vote_errs_less_than_a_model_that_bounds_it", MarginAsABound()),
    ("test_it_refuses_what_is_no_quality", AnythingGoes()),
    ("test_it_refuses_qualities_below_its_floor", BelowItsFloor()),
    ("test_values_are_what_each_worker_brings", CreditsSpammers()),
    ("test_the_sum_of_values_says_whether_the_error_is_below_alpha", AsksTooLittle()),
]


@pytest.mark.parametrize(("promise", "broken"), CONTROLS)
def test_a_broken_error_model_is_found_out(promise: str, broken: ErrorModel) -> None:
    with pytest.raises(FAILED):
        run_contract(ErrorModelContract, promise, broken)


def test_every_promise_has_a_control() -> None:
    check_every_promise_has_a_control(ErrorModelContract, [promise for promise, _ in CONTROLS])
