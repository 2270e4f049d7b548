"""Weighted juries without assuming anything: weights learned on some gold tasks, certified on the others (MATHS 7).

Which tasks teach the weights is drawn from the seed alone. Given the weights, a weighted jury's verdicts on the
remaining tasks are again independent draws of its own accuracy, so Clopper-Pearson applies to it as to a majority;
its group of juries takes its share of the error probability like any other. Majority juries keep all tasks.

The log-odds weights (MATHS 2.5) are rounded to whole numbers 1..4: with so few members only their order of magnitude
decides who outvotes whom. Sizes start at 4: three weighted voters are their own majority, or their heaviest alone.
"""

from dataclasses import dataclass

import numpy as np

from quorate.certify.frontier import Ints
from quorate.certify.matrix import WORD, GoldMatrix, Words, pack

SMALLEST = 4
HEAVIEST = 4
# The share of gold tasks that teaches the weights: few are needed for whole weights, the certificate needs the rest.
TEACHING = 0.25


@dataclass(frozen=True, eq=False)
class Learned:
    """Whole weights per worker (0: no better than a coin, not used), and the tasks left to certify on.

    `rank`: 0 for the heaviest worker, all different; `teaching`: how many tasks the weights were learned on.
    """

    weight: Ints
    rank: Ints
    certifying: GoldMatrix
    teaching: int


def learn(gold: GoldMatrix, keys: Ints, seed: int) -> Learned:
    """Weights proportional to the log-odds of (right + 1) / (answers + 2) on the teaching tasks."""
    teaches = np.zeros(gold.right.shape[1] * WORD, dtype=np.bool_)
    order = np.random.default_rng(seed).permutation(gold.tasks)
    teaches[order[: int(gold.tasks * TEACHING)]] = True
    chosen = pack(teaches[None, :])[0]
    lesson, rest = gold.restrict(chosen), gold.restrict(~chosen & _all_tasks(gold))
    quality = (lesson.rights + 1.0) / (lesson.answers + 2.0)
    log_odds = np.maximum(np.log(quality / (1.0 - quality)), 0.0)
    scale = HEAVIEST / max(float(log_odds.max()), 1e-12)
    weight = np.where(log_odds > 0.0, np.maximum(np.rint(log_odds * scale), 1.0), 0.0).astype(np.int64)
    rank = np.empty(len(gold), dtype=np.int64)
    rank[np.lexsort((keys, -quality, -weight))] = np.arange(len(gold))
    return Learned(weight, rank, rest, lesson.tasks)


def _all_tasks(gold: GoldMatrix) -> Words:
    every: Words = pack(np.ones((1, gold.tasks), dtype=np.bool_))[0]
    return every
