"""What the counts of answers make of workers' values: one worker at a time, or everybody in vector loops."""

import numpy as np
from numpy.typing import NDArray

from quorate._jit import inline, kernel
from quorate.engine.rules import (
    Rules,
    hoeffding_lower,
    hoeffding_upper,
    lower_end,
    margin,
    rounded_down,
    rounded_up,
    upper_end,
    value,
)
from quorate.model.fixed_point import LARGEST_VALUE
from quorate.model.interval.hoeffding import hoeffding_radius

Counts = NDArray[np.int64]


@inline
def certain_value(rules: Rules, right: int, asked: int) -> int:
    """The pessimistic value of a worker asked at least once."""
    return rounded_down(value(rules, lower_end(rules, right, asked)))


@inline
def possible_value(rules: Rules, right: int, asked: int) -> int:
    """The optimistic value of a worker asked at least once."""
    return rounded_up(value(rules, upper_end(rules, right, asked)))


@inline
def certain_values(rules: Rules, right: Counts, asked: int, out: Counts) -> None:
    """`certain_value` of everybody, all asked equally often.

    The loop without a branch is the one that becomes vector instructions.
    """
    if rules.anytime or rules.log_odds:
        for i in range(len(out)):
            out[i] = certain_value(rules, right[i], asked)
    else:
        for i in range(len(out)):
            out[i] = rounded_down(margin(hoeffding_lower(rules, right[i], asked)))


@inline
def possible_values(rules: Rules, right: Counts, asked: int, out: Counts) -> None:
    """`possible_value` of everybody, all asked equally often."""
    if rules.anytime or rules.log_odds:
        for i in range(len(out)):
            out[i] = possible_value(rules, right[i], asked)
    else:
        for i in range(len(out)):
            out[i] = rounded_up(margin(hoeffding_upper(rules, right[i], asked)))


@kernel
def highest_values(rules: Rules, right: Counts, asked: int, coming: Counts, out: Counts) -> None:
    """Bounds on everybody's optimistic values, now and over the next rounds, all having been asked `asked` times so
    far.

    After s more answers, x of them right and a = coming[i] in all, (k + x) / (m + s) <= (k + a) / (m + a), and the
    radius is at most today's. Rounding keeps the order of both, and one billionth covers the logarithm's. For
    `anytime`: no bound.
    """
    if rules.anytime:
        out[:] = 2 * LARGEST_VALUE
        return
    radius = hoeffding_radius(asked, rules.log_term)
    if rules.log_odds:
        for i in range(len(out)):
            out[i] = 1 + rounded_up(value(rules, _highest(rules, right[i] + coming[i], asked + coming[i], radius)))
    else:
        for i in range(len(out)):
            out[i] = 1 + rounded_up(margin(_highest(rules, right[i] + coming[i], asked + coming[i], radius)))


@inline
def _highest(rules: Rules, right: int, asked: int, radius: float) -> float:
    return max(rules.floor, min(1.0, right / asked + radius))
