"""From estimates to a histogram that somebody can use: no negative counts, no more people than there are, whole numbers.

The projection onto {x >= 0, sum x <= total} takes more from cells that are known less well: x_j - lambda v_j, cut at zero.
Errors are measured as absolute differences, for which the median is best, not the mean; the median of a gamma law with the same
mean and variance is m (1 - v / (9 m^2))^3 (Wilson and Hilferty). Where it is not known how unequal cells are, each shape has its
own median, and their mean by weight is published: where nothing is known, a part of equal cells, which is far off for no shape.
All of this is free.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np
import numpy.typing as npt

__all__ = ["fitted", "median", "projected", "released", "total_of"]

Floats = npt.NDArray[np.float64]
Estimates = Iterable[tuple[float, Floats, Floats]]
"""Weight, mean and variance of every count, for each shape that cells may have."""

_CHANCE = 0.5  # of the mean: how much of a count is chance, at most as much as its variance


def projected(mean: Floats, variance: Floats, total: float) -> Floats:
    """The nearest histogram without negative counts and with a sum of at most `total`, in units of the variances.

    >>> projected(np.array([3.0, 1.0, -1.0]), np.ones(3), 2.0).tolist()
    [2.0, 0.0, 0.0]
    """
    positive = np.maximum(mean, 0)
    if positive.sum() <= total:
        return np.asarray(positive)
    variance = np.maximum(variance, 1e-18)
    ratios = positive / variance
    order = np.argsort(-ratios)
    # with the k largest ratios kept, lambda = (sum of means - total) / (sum of variances); the last k that keeps its own is right
    multipliers = (np.cumsum(positive[order]) - total) / np.cumsum(variance[order])
    kept = max(int(np.count_nonzero(ratios[order] > multipliers)), 1)
    return np.asarray(np.maximum(positive - max(multipliers[kept - 1], 0.0) * variance, 0))


def median(mean: Floats, variance: Floats) -> Floats:
    """The median of a gamma law with this mean and variance, nearly; 0 where the mean is."""
    positive = mean > 0
    safe = np.where(positive, mean, 1.0)
    return np.asarray(np.where(positive, mean * np.maximum(1 - variance / (9 * safe * safe), 0) ** 3, 0.0))


def total_of(mean: Floats, variance: Floats) -> float:
    """The median of the sum of all cells, as if they were independent."""
    sums = np.array([max(float(mean.sum()), 0.0)])
    return float(median(sums, np.array([float(variance.sum())]))[0])


def fitted(mean: Floats, variance: Floats, *, scale: float = 1.0, most: float = inf) -> tuple[Floats, Floats]:
    """Means and variances of counts from those of shares of `scale` people; none below zero, and no more than `most` in sum."""
    total = min(total_of(mean, variance) * scale, most)
    return projected(mean * scale, variance * scale**2, total), variance * scale**2


def released(estimates: Estimates, *, scale: float = 1.0, most: float = inf) -> tuple[npt.NDArray[np.int64], Floats]:
    """Whole counts over all shapes, and how far off each is expected to be, in the root of the mean square."""
    weights, parts = [], []
    for weight, mean, variance in estimates:
        means, spread = fitted(mean, variance, scale=scale, most=most)
        middle = median(means, spread + np.minimum(_CHANCE * means, spread))
        weights.append(weight)
        parts.append((middle, means, spread + means**2))
    middle, centre, square = np.tensordot(np.divide(weights, sum(weights)), np.array(parts), axes=1)
    counts = np.floor(middle + 0.5)
    return counts.astype(np.int64), np.sqrt(np.maximum(square - 2 * counts * centre + counts**2, 0))
