"""What noisy counts say about true ones, if the true ones come from a distribution that all noisy counts show together.

The count of a cell is c = x + z, with noise z of a known scale s. How common each value x is among all cells is estimated by
maximum likelihood over a grid of values (Kiefer and Wolfowitz 1956; by the steps of Dempster, Laird and Rubin 1977); then
each x is taken as its mean given c. Where noise covers everything all cells come out alike, and where it does not, nearly as they
were counted; nothing has to be chosen.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Reals
from tacita.arrays.scatter import on_simplex

__all__ = ["posterior_means"]


FINE, FURTHEST, ITERATIONS = 4, 12, 60
"""Values are told apart by a quarter of the scale; counts of more than twelve scales are as good as certain."""

MOST_CELLS = 2**17
"""More cells than that would take too much memory; they are moved by one amount and cut off at 0 instead."""


def posterior_means(counts: Reals, scales: Reals) -> Reals:
    """The expected true counts, none below 0, with the sum of the noisy ones unless that is not above 0.

    >>> posterior_means(np.array([100.0, 3.0, -4.0, 1.0]), np.full(4, 2.0)).round(1).tolist()
    [96.4, 1.6, 1.0, 1.0]
    """
    total = float(counts.sum())
    if not counts.size or total <= 0:
        return np.full(counts.size, max(total, 1.0) / max(counts.size, 1))
    if counts.size > MOST_CELLS:
        return on_simplex(counts, total)
    unit = counts / scales
    means = np.maximum(counts, 0.0)
    near = np.flatnonzero(unit <= FURTHEST)
    if near.size:
        grid = np.arange(0, FURTHEST * FINE + 1) / FINE
        distance = np.abs(unit[near, np.newaxis] - grid)
        likelihood = np.exp(distance.min(axis=1, keepdims=True) - distance)
        weights = np.full(grid.size, 1 / grid.size)
        for _ in range(ITERATIONS):
            chances = likelihood * weights
            chances /= chances.sum(axis=1, keepdims=True)
            weights = chances.mean(axis=0)
        means[near] = (chances @ grid) * scales[near]
    return np.asarray(means * (total / max(float(means.sum()), 1e-12)), dtype=np.float64)
