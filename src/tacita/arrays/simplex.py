"""Projection onto a simplex, for noisy counts whose sum is known more precisely than the counts themselves."""

from __future__ import annotations

import numpy as np

from tacita.arrays import Reals

__all__ = ["on_simplex"]


def on_simplex(values: Reals, total: float) -> Reals:
    """The nearest non-negative numbers that add up to `total`: shift all by one amount and cut them off at 0.

    >>> on_simplex(np.array([5.0, 2.0, -3.0]), 6.0).tolist()
    [4.5, 1.5, 0.0]
    """
    if total <= 0 or not values.size:
        return np.zeros_like(values)
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, values.size + 1)
    last = max(0, int((falling > excess).sum()) - 1)
    return np.asarray(np.maximum(values - excess[last], 0.0), dtype=np.float64)
