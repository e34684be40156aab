"""Groups of rows: their sizes, how often each sensitive value occurs in them, and how far that is from the whole table."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers, Numbers, Places

__all__ = ["Histograms", "combined", "equal_work", "group_rows", "histograms", "ordered_work"]

_CELLS_PER_ROW = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Histograms:
    """The sizes of all groups (none is empty) and, group by group, the sensitive values that occur with their counts."""

    sizes: Integers
    groups: Integers = field(repr=False)
    values: Integers = field(repr=False)
    counts: Integers = field(repr=False)

    @property
    def starts(self) -> Integers:
        """Where the values of each group begin."""
        return np.searchsorted(self.groups, np.arange(self.sizes.size)).astype(np.int64)

    def recoded(self, codes: Integers, *, size: int) -> Histograms:
        """The same where value v counts as `codes[v]`, a number below `size`."""
        keys = self.groups * size + codes[self.values]
        cells, inverse = np.unique(keys, return_inverse=True)
        counts = _counted(inverse.reshape(-1), cells.size, self.counts)
        return Histograms(sizes=self.sizes, groups=cells // size, values=cells % size, counts=counts)

    def largest(self) -> Integers:
        """How often the most frequent value of each group occurs."""
        if not self.sizes.size:
            return np.zeros(0, dtype=np.int64)
        return np.asarray(np.maximum.reduceat(self.counts, self.starts), dtype=np.int64)


def histograms(
    group_of: Integers, values: Integers | Numbers | None, *, groups: int, symbols: int, weights: Integers | None = None
) -> Histograms:
    """Count sizes and, if there are sensitive values, how often each occurs in each group; a row may stand for several."""
    sizes = _counted(group_of, groups, weights)
    if values is None:
        every = np.arange(groups, dtype=np.int64)
        return Histograms(sizes=sizes, groups=every, values=np.zeros(groups, dtype=np.int64), counts=sizes)
    keys = group_of * symbols + values
    if groups * symbols <= _CELLS_PER_ROW * keys.size + 2**16:
        table = _counted(keys, groups * symbols, weights)
        cells = np.flatnonzero(table)
        counts = table[cells]
    else:
        cells, inverse = np.unique(keys, return_inverse=True)
        counts = _counted(inverse.reshape(-1), cells.size, weights)
    return Histograms(sizes=sizes, groups=cells // symbols, values=cells % symbols, counts=counts)


def _counted(keys: Places | Integers, domain: int, weights: Integers | None) -> Integers:
    """How often each number occurs, or what it weighs; sums of whole numbers are exact in doubles below 2^53."""
    return np.bincount(keys, weights=weights, minlength=domain).astype(np.int64, copy=False)


def combined(columns: tuple[Integers, ...], sizes: tuple[int, ...]) -> Integers:
    """One number per row that differs where any column does; made dense on the way where it would pass 62 bits."""
    keys = np.zeros(columns[0].size, dtype=np.int64)
    domain = 1
    for codes, size in zip(columns, sizes, strict=True):
        if domain * size >= 2**62:
            different, keys = np.unique(keys, return_inverse=True)
            keys, domain = keys.reshape(-1).astype(np.int64), max(1, different.size)
        keys = keys * size + codes
        domain *= size
    return keys


def group_rows(keys: Integers) -> tuple[Integers, Integers]:
    """For each row the number of its group, and for each group one row that is in it."""
    _, firsts, group_of = np.unique(keys, return_index=True, return_inverse=True)
    return group_of.reshape(-1).astype(np.int64), firsts.astype(np.int64)


# How far the sensitive values of each group are from those of the whole table, for t-closeness.
#
# The earth mover's distance of Li, Li and Venkatasubramanian (ICDE 2007) for values any two of which are equally far apart, and
# for steps of one scale. With counts c of n rows in a group and C of N in the table, both are sums of |c N - C n|, over values
# or over running sums: whole numbers, so that nothing is rounded.


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
