"""What an error model is (paper, section 3.1; MATHS 2)."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.errors import InvalidInput, OutsideDomain
from quorate.model.problem import as_qualities

Qualities = NDArray[np.float64]


@runtime_checkable
class ErrorModel(Protocol):
    """f_S(q): the error of a jury's verdict, exactly or as an upper bound.

    Contract (checked by `quorate.testing.ErrorModelContract`):
    - `error` is non-increasing in every quality (the paper's monotonicity);
    - |f_S(q) - f_S(q')| <= smoothness(delta, size) for every jury of at most `size` workers whose qualities differ by
      at most delta (the paper's bounded smoothness); `smoothness_inverse` is its inverse;
    - nothing is proved below `floor`: `error` raises OutsideDomain there;
    - where `bounds_the_vote`, the verdict of a jury whose members err independently errs at most `error`;
    - models are frozen values and safe to share between threads.
    """

    @property
    def name(self) -> str: ...

    @property
    def floor(self) -> float:
        """The lowest quality at which the model proves anything."""
        ...

    @property
    def bounds_the_vote(self) -> bool:
        """Whether f_S(q) is the verdict's own error or above it; else it is a constraint that promises no accuracy."""
        ...

    def error(self, qualities: Qualities) -> float:
        """f_S(q) of the jury whose members have these qualities; of the empty jury, 1 or the model's bound for it."""
        ...

    def smoothness(self, delta: float, size: int) -> float:
        """h(delta) for juries of at most `size` workers."""
        ...

    def smoothness_inverse(self, error: float, size: int) -> float:
        """h^-1(error), at most 1/2 (qualities lie in [1/2, 1])."""
        ...


@runtime_checkable
class AdditiveErrorModel(ErrorModel, Protocol):
    """A model whose constraint f_S(q) < alpha reads: the sum of the members' values exceeds a requirement."""

    def values(self, qualities: Qualities) -> Qualities:
        """What each worker brings, in [0, infinity); nothing from 1/2 down, where the formulas lose their sense."""
        ...

    def requirement(self, alpha: float) -> float:
        """What a jury must bring so that f_S(q) < alpha."""
        ...


def check_domain(model: ErrorModel, given: ArrayLike) -> Qualities:
    """The qualities as float64; refuse those at which the model proves nothing."""
    qualities = as_qualities(given)
    if np.any(qualities < model.floor):
        raise OutsideDomain(
            f"quality {qualities.min():.6g} is below {model.floor:.6g}, under which the error model {model.name!r} "
            f"proves nothing; leave that worker out"
            + ("" if model.floor <= 0.5 else ", or use 'log-odds', which is valid from 1/2 up")
        )
    return qualities


def check_step(change: float, size: int) -> None:
    """What smoothness and its inverse are asked about: a change, and how many workers a jury has at most."""
    if not change >= 0.0:
        raise InvalidInput(f"a change of {change} is not 0 or more; qualities and errors move by a distance")
    if size < 1:
        raise InvalidInput(f"juries of at most {size} workers have no smoothness; give a size of at least 1")


def scaled_inverse(error: float, slope: float) -> float:
    """The inverse of h(delta) = slope * delta on [0, 1/2]."""
    return min(0.5, error / slope)
