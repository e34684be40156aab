"""Estimating how frequent items are, even if noise has drowned their counts.

Many items have counts smaller than their noise: using the noisy numbers as they are would make items frequent that nobody has,
and keeping only those above a threshold would drop most of what is sold. But the distribution of all frequencies can be estimated
from all noisy numbers together, because the law of the noise is known. Given that, each item gets the mean of what its number can
be. A number far above the noise hardly moves; how far a smaller one does depends on how many items have so little.

Reference: the distribution is the maximum likelihood estimate of Kiefer and Wolfowitz 1956 on a grid, by expectation and
maximization; using it item by item is Robbins's empirical Bayes.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Reals

__all__ = ["likely_means"]


FAR = 12.0
"""Numbers from this many standard deviations on are kept as they are."""

_GRID = 120
_FINEST = 0.002
_ROUNDS = 30
_LEAST_SHARE = 1e-100
_BINS_PER_DEVIATION = 8


def likely_means(noisy: Reals, *, deviation: float) -> Reals:
    """The mean of what each number can be, given all noisy ones; `deviation` is that of the noise, treated as Laplace noise."""
    means = np.array(noisy, dtype=np.float64)
    near = noisy < FAR * deviation
    if not near.any():
        return means
    bins, bin_of = np.unique(np.rint(noisy[near] / deviation * _BINS_PER_DEVIATION), return_inverse=True)
    times = np.bincount(bin_of.reshape(-1)).astype(np.float64)
    grid = np.concatenate([[0.0], np.geomspace(_FINEST, 2 * FAR, _GRID)])
    away = np.abs(bins[:, np.newaxis] / _BINS_PER_DEVIATION - grid) * np.sqrt(2)
    likelihood = np.exp(away.min(axis=1, keepdims=True) - away)  # the largest entry of each row is 1, so that no row vanishes
    shares = np.full(grid.size, 1 / grid.size)
    for _ in range(_ROUNDS):
        shares = (times / times.sum()) @ _posterior(likelihood, shares)
    means[near] = (_posterior(likelihood, shares) @ grid * deviation)[bin_of.reshape(-1)]
    return means


def _posterior(likelihood: Reals, shares: Reals) -> Reals:
    joint = likelihood * np.maximum(shares, _LEAST_SHARE)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True), dtype=np.float64)
