"""How far the sensitive values of each group are from those of the whole table, in whole numbers, for t-closeness.

The earth mover's distance of Li, Li and Venkatasubramanian (ICDE 2007) for values any two of which are equally far apart, and
for steps of one scale. With counts c of n rows in a group and C of N in the table, both are sums of |c N - C n|, over values or
over running sums, so that nothing is rounded.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers
from tacita.tables.histograms import Histograms

__all__ = ["equal_work", "ordered_work"]


DENSE_CELLS = 4_000_000
"""How many cells of groups by values are looked at together."""


def equal_work(found: Histograms, overall: Integers) -> Integers:
    """For each group, the sum over all values of |c N - C n|, which is 2 n N times the distance."""
    total = int(overall.sum())
    whole, sizes = overall[found.values], found.sizes[found.groups]
    present = np.abs(found.counts * total - whole * sizes)
    covered = _group_sums(found.groups, whole, found.sizes.size)
    return _group_sums(found.groups, present, found.sizes.size) + found.sizes * (total - covered)


def ordered_work(found: Histograms, overall: Integers) -> Integers:
    """For each group, the sum over all steps of |running (c N - C n)|, which is (m - 1) n N times the distance."""
    total, symbols = int(overall.sum()), overall.size
    running = np.cumsum(overall)
    moved = np.zeros(found.sizes.size, dtype=np.int64)
    starts = np.append(found.starts, found.groups.size)
    at_once = max(1, DENSE_CELLS // symbols)
    for begin in range(0, found.sizes.size, at_once):
        end = min(begin + at_once, found.sizes.size)
        cells = slice(starts[begin], starts[end])
        table = np.zeros((end - begin, symbols), dtype=np.int64)
        table[found.groups[cells] - begin, found.values[cells]] = found.counts[cells]
        here = np.cumsum(table, axis=1) * total - running * found.sizes[begin:end, np.newaxis]
        moved[begin:end] = np.abs(here).sum(axis=1)
    return moved


def _group_sums(groups: Integers, values: Integers, size: int) -> Integers:
    """Exact sums of integers per group, which come in order and are never empty."""
    starts = np.searchsorted(groups, np.arange(size))
    return np.asarray(np.add.reduceat(values, starts), dtype=np.int64) if size else np.zeros(0, dtype=np.int64)
