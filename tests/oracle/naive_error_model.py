"""Error models from the paper's section 3.1 by enumerating every outcome, in fractions: nothing is rounded.

A float quality is taken as the exact binary fraction that it is.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product

Verdict = Callable[[Sequence[bool]], bool]


def chance_of(right: Sequence[bool], qualities: Sequence[float]) -> Fraction:
    """P(exactly these members are right), the members answering independently."""
    chances = [Fraction(q) if ok else 1 - Fraction(q) for ok, q in zip(right, qualities, strict=True)]
    return math.prod(chances, start=Fraction(1))


def vote_error(verdict: Verdict, qualities: Sequence[float], truth: bool) -> Fraction:
    """P(the verdict differs from the truth), over all 2^s outcomes."""
    outcomes = product((False, True), repeat=len(qualities))
    return sum(
        (
            chance_of(right, qualities)
            for right in outcomes
            if verdict([truth if ok else not truth for ok in right]) != truth
        ),
        start=Fraction(0),
    )


def mean_error(verdict: Verdict, qualities: Sequence[float]) -> Fraction:
    """The two answers being equally likely (the paper's pi = 1/2)."""
    return (vote_error(verdict, qualities, True) + vote_error(verdict, qualities, False)) / 2


def paper_majority(labels: Sequence[bool]) -> bool:
    """Equation (1): answer 1 if the labels, as -1 and 1, sum to more than 0; else answer 0."""
    return sum(1 if label else -1 for label in labels) > 0


def weighted(weights: Sequence[int]) -> Verdict:
    """The heavier side; a tie goes to the first of the heaviest voters."""

    def verdict(labels: Sequence[bool]) -> bool:
        balance = sum(w if label else -w for w, label in zip(weights, labels, strict=True))
        return labels[list(weights).index(max(weights))] if balance == 0 else balance > 0

    return verdict


def likeliest_error(qualities: Sequence[float]) -> Fraction:
    """Example 3.1's P(E): the most likely outcome of all that lead the majority to err on a true answer 1."""
    return max(
        chance_of(right, qualities)
        for right in product((False, True), repeat=len(qualities))
        if not paper_majority(right)
    )


def likeliest_half(qualities: Sequence[float]) -> Fraction:
    """Example 3.1's f_S: the largest chance that floor((s + 1) / 2) members are all wrong, over all such halves."""
    half = (len(qualities) + 1) // 2
    wrong = [1 - Fraction(q) for q in qualities]
    return max(math.prod(chosen, start=Fraction(1)) for chosen in combinations(wrong, half))
