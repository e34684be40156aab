"""Estimating how frequent rare items are, even if noise has drowned their counts.

Many items have counts smaller than their noise: using the noisy numbers as they are would make items frequent that nobody has,
and keeping only those above a threshold would drop most of what is sold. But the distribution of all frequencies can be estimated
from all noisy numbers together, because the law of the noise is known. Given that, each item gets the number that minimises its
expected relative error.

Reference: the distribution is the maximum likelihood estimate of Kiefer and Wolfowitz 1956 on a grid, by expectation and
maximization; using it item by item is Robbins's empirical Bayes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["likely_counts"]

Reals = npt.NDArray[np.float64]

_GRID = 120
_SMALLEST = 0.25
_ROUNDS = 30
_LEAST_SHARE = 1e-100
_BINS_PER_DEVIATION = 8


def likely_counts(noisy: Reals, *, deviation: float, sanity_bound: float) -> Reals:
    """The number of each item that makes the expected relative error small; true numbers below the sanity bound count as it.

    `deviation` is that of the noise, which is treated as Laplace noise. The best number is a median of the possible ones, each
    weighted by the inverse of what its error is divided by.
    """
    if not noisy.size:
        return np.zeros(0)
    bins, bin_of = np.unique(np.rint(noisy / deviation * _BINS_PER_DEVIATION), return_inverse=True)
    centers = bins * deviation / _BINS_PER_DEVIATION
    times = np.bincount(bin_of.reshape(-1)).astype(np.float64)
    grid = np.concatenate([[_SMALLEST], np.geomspace(2 * _SMALLEST, max(float(centers.max()), 8 * _SMALLEST), _GRID)])
    far = np.abs(centers[:, np.newaxis] - grid) * (np.sqrt(2) / deviation)
    likelihood = np.exp(far.min(axis=1, keepdims=True) - far)  # the largest entry of each row is 1, so that no row vanishes
    shares = np.full(grid.size, 1 / grid.size)
    for _ in range(_ROUNDS):
        shares = (times / times.sum()) @ _posterior(likelihood, shares)
    weighed = _posterior(likelihood, shares) / np.maximum(grid, sanity_bound)
    running = np.cumsum(weighed, axis=1)
    medians = grid[np.minimum((running < running[:, -1:] / 2).sum(axis=1), grid.size - 1)]
    return np.asarray(np.where(medians > _SMALLEST, medians, 0.0)[bin_of.reshape(-1)], dtype=np.float64)


def _posterior(likelihood: Reals, shares: Reals) -> Reals:
    joint = likelihood * np.maximum(shares, _LEAST_SHARE)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True), dtype=np.float64)
