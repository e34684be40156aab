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

from tacita.arrays import Integers, Reals

__all__ = ["fitted", "median", "projected", "released", "stacked", "total_of"]

Estimates = Iterable[tuple[float, Reals, Reals]]
"""Weight, mean and variance of every count, for each shape that cells may have."""

_CHANCE = 0.5  # of the mean: how much of a count is chance, at most as much as its variance


def projected(mean: Reals, variance: Reals, total: float | Reals) -> Reals:
    """The nearest histogram without negative counts and with a sum of at most `total`, in units of the variances.

    Of several histograms, one in each row, at once.

    >>> projected(np.array([3.0, 1.0, -1.0]), np.ones(3), 2.0).tolist()
    [2.0, 0.0, 0.0]
    """
    positive, most = np.maximum(mean, 0), np.asarray(total)[..., None]
    over = positive.sum(axis=-1, keepdims=True) > most
    if not over.any():
        return np.asarray(positive)
    variance = np.maximum(variance, 1e-18)
    ratios = positive / variance
    order = np.argsort(-ratios, axis=-1)
    means, spread, kept = (np.take_along_axis(each, order, axis=-1) for each in (positive, variance, ratios))
    # with the k largest ratios kept, lambda = (sum of means - total) / (sum of variances); the last k that keeps its own is right
    multipliers = (np.cumsum(means, axis=-1) - most) / np.cumsum(spread, axis=-1)
    last = np.maximum(np.count_nonzero(kept > multipliers, axis=-1, keepdims=True), 1) - 1
    multiplier = np.where(over, np.maximum(np.take_along_axis(multipliers, last, axis=-1), 0.0), 0.0)
    return np.asarray(np.maximum(positive - multiplier * variance, 0))


def median(mean: Reals, variance: Reals) -> Reals:
    """The median of a gamma law with this mean and variance, nearly; 0 where the mean is."""
    positive = mean > 0
    safe = np.where(positive, mean, 1.0)
    return np.asarray(np.where(positive, mean * np.maximum(1 - variance / (9 * safe * safe), 0) ** 3, 0.0))


def total_of(mean: Reals, variance: Reals) -> Reals:
    """The median of the sum of all cells, as if they were independent; one for each row."""
    return median(np.maximum(mean.sum(axis=-1), 0.0), variance.sum(axis=-1))


def fitted(mean: Reals, variance: Reals, *, scale: float = 1.0, most: float = inf) -> tuple[Reals, Reals]:
    """Means and variances of counts from those of shares of `scale` people; none below zero, and no more than `most` in sum."""
    total = np.minimum(total_of(mean, variance) * scale, most)
    spread = variance * scale**2
    return projected(mean * scale, spread, total), spread


def stacked(estimates: Estimates) -> tuple[Reals, Reals, Reals]:
    """The weights of all shapes, and their means and variances, one shape in each row."""
    weights, means, variances = zip(*estimates, strict=True)
    return np.array(weights), np.array(means), np.array(variances)


def released(estimates: Estimates, *, scale: float = 1.0, most: float = inf) -> tuple[Integers, Reals]:
    """Whole counts over all shapes, and how far off each is expected to be, in the root of the mean square."""
    weights, mean, variance = stacked(estimates)
    weights = weights / weights.sum()
    means, spread = fitted(mean, variance, scale=scale, most=most)
    counts = np.floor(weights @ median(means, spread + np.minimum(_CHANCE * means, spread)) + 0.5)
    expected = weights @ (spread + (means - counts) ** 2)
    return counts.astype(np.int64), np.sqrt(expected)
