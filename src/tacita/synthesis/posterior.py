"""True counts from noisy ones: the mean of each given what all of them look like together.

How common each true count is among all cells is estimated by maximum likelihood (Kiefer and Wolfowitz 1956; by the steps of
Dempster, Laird and Rubin 1977); each cell is then taken as its mean given its noisy count (Robbins 1956). Many small cells among
few large ones are so taken for nearly nothing, and cells that are all alike for their mean, without a threshold.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Reals

__all__ = ["posterior_means"]


FINE, CERTAIN, ITERATIONS = 4, 12, 60
"""True counts are told apart by a quarter of the scale; noisy ones of more than twelve scales are as good as certain."""

ROUNDING = 16
"""Noisy counts are rounded to so many parts of the scale: then any number of them costs the same."""


def posterior_means(counts: Reals, scales: Reals | float, total: float | None = None) -> Reals:
    """Returns the expected true counts, none below 0, given counts with Laplace noise of these scales.

    They have the total that is given, or else that of the noisy counts; all are alike if that is not above 0.

    >>> posterior_means(np.array([100.0, 3.0, -4.0, 1.0]), 2.0).round(1).tolist()
    [96.4, 1.6, 1.0, 1.0]
    >>> posterior_means(np.array([100.0, 3.0, -4.0, 1.0]), 2.0, total=200.0).round().tolist()
    [193.0, 3.0, 2.0, 2.0]
    """
    wanted = float(counts.sum()) if total is None else total
    means = _means(counts, np.broadcast_to(scales, counts.shape))
    if wanted <= 0 or not means.sum() > 0:
        return np.full(counts.shape, max(wanted, 1.0) / max(counts.size, 1))
    return np.asarray(means * (wanted / float(means.sum())), dtype=np.float64)


def _means(counts: Reals, scales: Reals) -> Reals:
    means = np.maximum(counts, 0.0).astype(np.float64)
    unit = counts / scales
    near = unit <= CERTAIN
    if not near.any():
        return means
    # no true count is below 0, so all noisy counts below 0 say the same
    rounded = np.round(np.maximum(unit[near], 0.0) * ROUNDING).astype(np.int64)
    numbers = np.bincount(rounded)
    seen = np.flatnonzero(numbers)
    grid = np.arange(0, CERTAIN * FINE + 1) / FINE
    distance = np.abs(seen[:, np.newaxis] / ROUNDING - grid)
    likelihood = np.exp(distance.min(axis=1, keepdims=True) - distance)
    shares = numbers[seen] / int(numbers.sum())
    weights = np.full(grid.size, 1 / grid.size)
    for _ in range(ITERATIONS):
        weights *= (shares / (likelihood @ weights)) @ likelihood
    chances = likelihood * weights
    by_rounded = np.zeros(numbers.size)
    by_rounded[seen] = (chances @ grid) / chances.sum(axis=1)
    means[near] = by_rounded[rounded] * scales[near]
    return means
