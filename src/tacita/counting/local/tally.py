"""How often each number occurs.

Whether numbers are counted by a table or by sorting depends on sizes; it changes only speed and memory, never the result.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers

__all__ = ["fits_table", "tally"]


_TABLE_CELLS_PER_KEY = 16
_SUMMED_AT_ONCE = 2**24


def tally(cells: Integers, domain: int, *, weights: Integers | None = None) -> tuple[Integers, Integers]:
    """The distinct numbers, all from 0 to `domain` - 1, in order, and how often each occurs or how much it weighs.

    >>> [part.tolist() for part in tally(np.array([5, 2, 5]), 10)]
    [[2, 5], [1, 2]]
    """
    if weights is not None and fits_table(domain, cells.size):
        table = np.zeros(domain, dtype=np.int64)
        for start in range(0, cells.size, _SUMMED_AT_ONCE):  # sums of floats below 2**53 are exact
            part = slice(start, start + _SUMMED_AT_ONCE)
            table += np.bincount(cells[part], weights=weights[part], minlength=domain).astype(np.int64)
        keys = np.flatnonzero(table)
        return keys, table[keys]
    if weights is not None:
        keys, places = np.unique(cells, return_inverse=True)
        sums = np.zeros(keys.size, dtype=np.int64)
        np.add.at(sums, places.reshape(-1), weights)
        return keys, sums
    if fits_table(domain, cells.size):
        table = np.bincount(cells, minlength=domain)
        keys = np.flatnonzero(table)
        return keys, table[keys].astype(np.int64, copy=False)
    keys, counts = np.unique(cells, return_counts=True)
    return keys, counts.astype(np.int64, copy=False)


def fits_table(domain: int, keys: int) -> bool:
    """Whether a table over the whole domain is no larger than the data to count."""
    return domain <= _TABLE_CELLS_PER_KEY * keys + 2**16
