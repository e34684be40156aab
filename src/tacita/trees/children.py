"""Sums over the children of each node."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Indices", "Reals", "sum_reals", "sum_wholes"]

Indices = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


def sum_reals(values: Reals, parents: Indices, *, size: int) -> Reals:
    """For each of `size` parents the sum over its children, added up in their order."""
    return np.asarray(np.bincount(parents, values, size), dtype=np.float64)


def sum_wholes(values: Indices, parents: Indices, *, size: int) -> Indices:
    """The same for whole numbers, exactly; children of one parent stand in a row."""
    running = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values)])
    ends = np.searchsorted(parents, np.arange(size + 1))
    return np.diff(running[ends])
