"""The cost and the threshold of each histogram of an exploration tree. All of it is public.

Shares follow section 6.4.1 of Chen's thesis with its heights rounded up, without which a path may spend far more than its budget,
and its circular definition resolved: a threshold comes from the epsilon of the counts that it is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, log

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.privacy.noise import threshold_passed_by
from tacita.privacy.paths import Terms
from tacita.sequences.prefix_trees.schedule import Threshold

__all__ = ["FALSE_GRAMS", "Allocation", "GramRule"]


FALSE_GRAMS = 0.5
"""The default threshold lets a histogram have at most this many false grams on average, so that they die out."""

FALSE_LAST = 1.0
"""The same for the last question of a path: nothing is asked below it, so false grams cannot multiply."""

LEAP_WEIGHT = Fraction(3, 4)
"""What counting repeats past the longest grams costs by default, in relation to other questions."""

MOST_OPEN = 2**20
"""Up to this many symbols, all single ones are released; with more, they have a threshold too."""

SURE = 1e-6
"""Probabilities are kept at least this far from 0 and 1, so that their logarithms stay finite."""


class Allocation(StrEnum):
    """How the budget is divided along a path of the tree."""

    ADAPTIVE = "adaptive"
    UNIFORM = "uniform"
    LEVEL_WISE = "level-wise"


@dataclass(frozen=True, kw_only=True)
class GramRule:
    """Grams of up to `max_gram` of `symbols` symbols, which start at no more than `starts` positions of a record.

    `leaps` are the lengths beyond `max_gram` that are asked about for grams that repeat one symbol.
    """

    symbols: int
    starts: int
    max_gram: int
    allocation: Allocation = Allocation.ADAPTIVE
    threshold: Threshold = Threshold.DEFAULT
    leaps: tuple[int, ...] = ()
    has_cut: bool = True
    first_weight: Fraction = Fraction(1)
    """What counting single symbols costs, in relation to other questions."""

    @property
    def bins(self) -> int:
        """How many symbols may follow a gram: those of the universe, the end and, if it is distinguished, the cut."""
        return self.symbols + (2 if self.has_cut else 1)

    @property
    def cut(self) -> int | None:
        """The symbol of a cut."""
        return self.symbols + 1 if self.has_cut else None

    @property
    def levels(self) -> int:
        """The most questions on one path."""
        return self.max_gram + len(self.leaps)

    def least(self, epsilon: Fraction) -> int:
        """The noisy count that a gram must reach to be followed, for counts at this cost."""
        if self.threshold is Threshold.PUBLISHED:
            return max(1, ceil(self.starts * log(max(3, self.symbols + 1) / 2) / float(epsilon)))
        return threshold_passed_by(min(0.5, FALSE_GRAMS / self.bins), epsilon / self.starts)

    def leasts(self, table: Sequence[Terms]) -> Integers:
        """The same for each of some terms."""
        return np.array([self.least(each.epsilon) for each in table], dtype=np.int64)

    def terms(self, amount: Fraction, left: int, *, length: int) -> Terms:
        """The cost and threshold of grams of this length if that many questions may follow, including this one.

        Every count of the first question is released: there are no more of them than symbols. The published rule also releases
        those of the last question on a path, which are as many again for each gram.
        """
        weights = [self._weight(length + further) for further in range(left)]
        epsilon = amount * weights[0] / sum(weights)
        is_open = (length == 1 and self.symbols <= MOST_OPEN) or (self.threshold is Threshold.PUBLISHED and left == 1)
        least = self.least(epsilon)
        if left == 1 and self.threshold is Threshold.DEFAULT:
            least = min(least, threshold_passed_by(min(0.5, FALSE_LAST / self.bins), epsilon / self.starts))
        return Terms(epsilon=epsilon, threshold=None if is_open else least)

    def is_worth(self, counts: Integers, terms: Integers, table: Sequence[Terms]) -> Booleans:
        """Which grams are worth extending: those with at least one continuation that could reach its threshold.

        The published rule continues wherever a count reached its own threshold.
        """
        if self.threshold is Threshold.PUBLISHED:
            return np.ones(counts.size, dtype=np.bool_)
        return np.asarray(counts >= self.leasts(table)[terms], dtype=np.bool_)

    def _weight(self, length: int) -> Fraction:
        """The weight of a question about that many symbols when the rest is shared; leaps come after the longest grams."""
        if self.threshold is Threshold.PUBLISHED:
            return Fraction(1)
        return LEAP_WEIGHT if length > self.max_gram else self.first_weight if length == 1 else Fraction(1)

    def heights(self, counts: Integers, least: Integers, modes: Reals, *, length: int, repeats: Booleans) -> Integers:
        """How many questions may follow for grams of this length, by their counts and the share of their commonest continuation.

        `least` is the threshold that each count was compared with; a level-wise allocation is given the expected numbers of
        questions in place of shares; `repeats` marks grams of one repeated symbol, which still have
        leaps ahead of them.
        """
        plain = self.max_gram - length
        most = np.where(repeats, plain + len(self.leaps), plain)
        if self.allocation is Allocation.UNIFORM or plain <= 0:
            return np.asarray(most, dtype=np.int64)
        if self.allocation is Allocation.LEVEL_WISE:
            steps = np.maximum(1, np.minimum(modes, plain))
        else:
            shares = np.clip(modes, SURE, 1 - SURE)
            steps = np.ceil(np.log(np.maximum(least, 1) / np.maximum(counts, 1)) / np.log(shares) - 1e-9)
            steps = np.maximum(1, np.minimum(steps, plain))
        return np.asarray(np.where(steps < plain, steps, most), dtype=np.int64)
