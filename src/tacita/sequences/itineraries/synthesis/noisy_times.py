"""Everything noisy that times are made from, and what it says about them once its noise is taken into account.

Counts c of a table with noise of variance v are compared with what coarser answers let expect of them, m. They are taken as
m + k (c - m) with k = max(0, 1 - n v / |c - m|^2) for a row of B counts (positive-part shrinkage, James and Stein 1961), n being
B - 1 and one standard deviation of the squares of as many noises: a row that differs by no more than its noise does is taken as
expected, and one that differs by far more is taken as it is. A row with |m|^2 < 8 v is taken as expected, whatever was counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import on_simplex
from tacita.public.time_grid import GapCells, VisitCells
from tacita.sequences.itineraries.synthesis.posterior import posterior_means

__all__ = ["NoisyGaps", "NoisyTable", "NoisyTimes", "likely_day", "shrunk"]


DROWNED = 8.0
"""A row is taken as expected if the sum of its squares is below this many variances of its noise."""

EXPLAINED = 0.25
"""A day is believed in if its hours explain this share of how times differ, beyond what as many numbers would by chance."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyTable:
    """Noisy counts, and the scale of their noise; of which classes of lengths, or in which cells, where that is not plain."""

    counts: Reals
    scale: float
    class_of: Integers | None = None
    cells: VisitCells | None = None

    @property
    def variance(self) -> float:
        """The variance of the noise of each count."""
        return 2 * self.scale**2


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyGaps:
    """Noisy counts of gaps, a row for each class of what is left and block of times."""

    cells: GapCells
    counts: Reals
    scale: float


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyTimes:
    """Noisy answers to the questions about times. Sequences of one visit have no gaps."""

    symbols: int
    intervals: int
    times: NoisyTable
    first_times: NoisyTable | None
    gaps: NoisyGaps | None
    places: NoisyTable | None

    @property
    def hours(self) -> Reals:
        """The share of all visits in each interval."""
        counts = self.times.counts
        means = posterior_means(counts, np.full(counts.size, self.times.scale))
        return np.asarray(means / means.sum(), dtype=np.float64)


def shrunk(counts: Reals, expected: Reals, variance: float) -> Reals:
    """Rows between what is expected of them and what was counted, none below 0, each with the sum that is expected.

    >>> shrunk(np.array([[9.0, 1.0], [6.0, 4.0]]), np.array([[5.0, 5.0], [5.0, 5.0]]), 1.0).round(2).tolist()
    [[8.48, 1.52], [5.0, 5.0]]
    """
    apart = counts - expected
    apart -= apart.mean(axis=1, keepdims=True)
    square = np.maximum((apart**2).sum(axis=1), 1e-12)
    width = counts.shape[1]
    kept = np.maximum(0.0, 1 - (width - 1 + np.sqrt(5 * width)) * variance / square)
    kept[(expected**2).sum(axis=1) < DROWNED * variance] = 0.0
    found = expected + kept[:, np.newaxis] * apart
    return np.stack([on_simplex(row, float(sums)) for row, sums in zip(found, expected.sum(axis=1), strict=True)])


def likely_day(times: NoisyTable, days: tuple[int, ...]) -> int | None:
    """The length of a day whose hours explain best how noisy times differ; none if none of them explains enough."""
    best, found = EXPLAINED, None
    counts = times.counts - times.counts.mean()
    square = float((counts**2).sum())
    signal = square - (counts.size - 1) * times.variance
    if signal <= 2 * np.sqrt(5 * counts.size) * times.variance:  # noise alone may differ as much
        return None
    for day in days:
        hours = np.arange(counts.size) % day
        number = np.bincount(hours, minlength=day)
        sums = np.bincount(hours, weights=counts, minlength=day)
        chance = square * (day - 1) / (counts.size - 1)
        explained = (float((sums**2 / number).sum()) - chance) / signal
        if explained > best:
            best, found = explained, day
    return found
