"""The accuracy constraint as integers: strict where the paper is, rounded so that the promise stays safe."""

import math

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.model import Constraint
from quorate.model.error import ErrorModel, Hoeffding, Linear, LogOdds, Majority, Margin
from quorate.model.fixed_point import BILLIONTHS, LARGEST_VALUE, round_down, round_up


def test_the_requirement_of_an_additive_model_is_strict() -> None:
    """f_S(q) < alpha, so a sum of exactly ln(1/alpha)/epsilon is not enough: the next billionth is."""
    constraint = Constraint.below(Linear(), 0.1)
    assert constraint.requirement == math.floor(6 * math.log(10) * BILLIONTHS) + 1
    assert constraint.additive


def test_a_requirement_that_is_reached_is_met() -> None:
    """The paper's problem (9) reads sum >= M: equality is enough."""
    constraint = Constraint.reaching(0.5)
    assert constraint.requirement == BILLIONTHS // 2
    assert constraint.meets(np.array([0.75]))
    assert not constraint.meets(np.array([0.75 - 1e-9]))
    assert Constraint.reaching(0.1 + 0.2).requirement == 300_000_000
    assert Constraint.reaching(0.25 + 1e-10).requirement == 250_000_001


def test_other_models_are_compared_by_their_error() -> None:
    constraint = Constraint.below(Majority(), 0.125)
    assert not constraint.additive
    assert constraint.requirement == 0
    assert constraint.meets(np.array([0.876]))
    assert not constraint.meets(np.array([0.875]))
    assert not constraint.meets(np.array([0.874]))


def test_optimistic_values_are_rounded_up_and_pessimistic_ones_down() -> None:
    constraint = Constraint.below(Linear(), 0.1)
    third = np.array([2.0 / 3.0])
    assert constraint.values(third, optimistic=False).tolist() == [333_333_333]
    assert constraint.values(third, optimistic=True).tolist() == [333_333_334]
    certain = Constraint.below(LogOdds(), 0.1)
    assert certain.requirement < LARGEST_VALUE
    for optimistic in (False, True):
        assert certain.values(np.ones(1), optimistic=optimistic).tolist() == [LARGEST_VALUE]
        assert certain.values(np.array([0.5, 0.3]), optimistic=optimistic).tolist() == [0, 0]


def test_rounding_is_outward_and_keeps_infinity_below_the_ceiling() -> None:
    values = np.array([0.0, 1e-10, 1.0, 2.5, np.inf])
    assert round_down(values).tolist() == [0, 0, 10**9, 2_500_000_000, LARGEST_VALUE]
    assert round_up(values).tolist() == [0, 1, 10**9, 2_500_000_000, LARGEST_VALUE]


def test_a_jury_that_meets_the_rounded_constraint_meets_the_real_one() -> None:
    random = np.random.default_rng(5)
    for model in (Linear(), LogOdds()):
        constraint = Constraint.below(model, 0.1)
        for _ in range(300):
            size = int(random.integers(1, 30))
            jury = random.uniform(model.floor, 1.0, size)
            if constraint.meets(jury):
                assert model.error(jury) < 0.1


def test_linear_may_be_evaluated_below_its_floor_but_promises_nothing_there() -> None:
    """Paper mode clips intervals at 1/2, as Algorithm 1: whoever uses it vouches that the truth is above 2/3."""
    assert Constraint.below(Linear(), 0.1).meets(np.full(139, 0.55))
    with pytest.raises(InvalidInput, match="proves nothing"):
        Linear().error(np.full(139, 0.55))


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, -0.1, math.nan])
def test_an_error_that_nobody_should_promise_is_refused(alpha: float) -> None:
    with pytest.raises(InvalidInput, match=rf"an error of {alpha} is not in \(0, 1/2\).*promise less"):
        Constraint.below(Linear(), alpha)


@pytest.mark.parametrize("requirement", [-0.1, 0.0, math.nan, math.inf])
def test_a_bad_requirement_is_refused(requirement: float) -> None:
    with pytest.raises(InvalidInput, match=f"requirement {requirement} is not a finite number above 0"):
        Constraint.reaching(requirement)


@pytest.mark.parametrize("requirement", [4399.0, 1e6, 1e300])
def test_a_requirement_beyond_what_is_counted_is_refused(requirement: float) -> None:
    with pytest.raises(InvalidInput, match=r"requirement .* is above 4398, the largest.*promise less"):
        Constraint.reaching(requirement)
    assert Constraint.reaching(4398.0).requirement <= LARGEST_VALUE
    with pytest.raises(InvalidInput, match=r"requirement inf is above.*a larger epsilon"):
        Constraint.below(Linear(5e-324), 0.1)


@pytest.mark.parametrize("model", [Linear(), LogOdds(), Margin()], ids=str)
@pytest.mark.parametrize("bad", [1.5, -0.2, math.nan, math.inf])
def test_what_is_no_quality_has_no_value(model: ErrorModel, bad: float) -> None:
    """Silently, 1.5 would count as certain, and NaN as anything at all."""
    constraint = Constraint.below(model, 0.1)
    for use in (constraint.meets, lambda jury: constraint.values(jury, optimistic=True)):
        with pytest.raises(InvalidInput, match=rf"worker 1 has quality {bad}, outside \[0, 1\]"):
            use(np.array([0.9, bad, 0.9]))


def test_values_of_a_model_that_is_not_additive_are_refused_with_a_remedy() -> None:
    with pytest.raises(InvalidInput, match=r"'hoeffding' is not additive.*use a selector made for it"):
        Constraint.below(Hoeffding(), 0.1).values(np.array([0.9]), optimistic=False)


def test_the_bare_margin_takes_any_requirement() -> None:
    assert Constraint.below(Margin(), math.exp(-1.25)).requirement == pytest.approx(1_250_000_000, abs=2)
