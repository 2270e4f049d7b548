"""The accuracy constraint of the paper's problem (3): f_S(q) < alpha, as a selector sees it."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput
from quorate.model.error.base import AdditiveErrorModel, ErrorModel
from quorate.model.error.linear import Margin
from quorate.model.fixed_point import BILLIONTHS, LARGEST_VALUE, round_down, round_up
from quorate.model.problem import as_qualities

# An error this close to alpha is equal to it: four units in the last place of a quality. `1 - .9` is below `.1` in
# floats and `1 - .7` above `.3`, so without it luck would decide what the paper refuses.
EQUAL = 2.0**-50


@dataclass(frozen=True)
class Constraint:
    """f_S(q) < alpha; for an additive model also: the values sum to at least `requirement` billionths."""

    model: ErrorModel
    alpha: float
    requirement: int

    @classmethod
    def below(cls, model: ErrorModel, alpha: float) -> "Constraint":
        """f_S(q) < alpha, strictly, as in the paper's problem (3): the first billionth above the real requirement."""
        if not 0.0 < alpha < 0.5:
            raise InvalidInput(
                f"an error of {alpha} is not in (0, 1/2); guessing errs 1/2: promise less error than that"
            )
        requirement = 0
        if isinstance(model, AdditiveErrorModel):
            requirement = max(0, math.floor(_within_reach(model.requirement(alpha)) * BILLIONTHS) + 1)
        return cls(model, alpha, requirement)

    @classmethod
    def reaching(cls, requirement: float) -> "Constraint":
        """sum(2q - 1) >= requirement, as in the paper's problem (9): equality is enough.

        Equality of what floats hold: .7 is held as a little less, and so misses .4 when it is rounded down.
        """
        if not math.isfinite(requirement) or requirement <= 0.0:
            raise InvalidInput(
                f"requirement {requirement} is not a finite number above 0; at 0 nobody would have to be asked"
            )
        exact = _within_reach(requirement) * BILLIONTHS
        return cls(Margin(), math.exp(-requirement), math.ceil(round(exact, 3)))

    @property
    def additive(self) -> bool:
        return self._additive_model is not None

    def check_additive(self) -> AdditiveErrorModel:
        """The model, if its workers have values."""
        if self._additive_model is None:
            raise InvalidInput(
                f"the error model {self.model.name!r} is not additive, so it has no values; "
                f"use a selector made for it, or one of 'linear' and 'log-odds'"
            )
        return self._additive_model

    @cached_property
    def _additive_model(self) -> AdditiveErrorModel | None:
        """Looked up once: checking a Protocol takes longer than the rest of a decision."""
        return self.model if isinstance(self.model, AdditiveErrorModel) else None

    @property
    def bar(self) -> float:
        """What an error computed in floats must be below: f_S(q) = alpha is not enough (MATHS 5), nor is it within
        rounding. Half of alpha where alpha itself is finer than that.
        """
        return self.alpha - min(EQUAL, self.alpha / 2.0)

    def values(self, qualities: ArrayLike, *, optimistic: bool) -> NDArray[np.int64]:
        """Each worker's value in billionths, rounded outward. Refuses what is no quality, a NaN above all."""
        exact = self.check_additive().values(as_qualities(qualities))
        return round_up(exact) if optimistic else round_down(exact)

    def meets(self, qualities: NDArray[np.float64]) -> bool:
        """Whether the jury with these qualities meets the constraint: in integers where the model is additive."""
        if self.additive:
            return int(self.values(qualities, optimistic=False).sum()) >= self.requirement
        return self.model.error(qualities) < self.bar


def _within_reach(requirement: float) -> float:
    """Selection counts in 64 bits, and cuts a value at LARGEST_VALUE."""
    if requirement * BILLIONTHS > LARGEST_VALUE - 1:
        raise InvalidInput(
            f"requirement {requirement:g} is above {LARGEST_VALUE // BILLIONTHS}, the largest that selection counts "
            f"to; promise less, or take an error model with a larger epsilon"
        )
    return requirement
