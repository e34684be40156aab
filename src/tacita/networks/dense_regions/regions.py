"""Regions of the strict upper triangle of an adjacency matrix, in columns.

A region is rows a..b and columns c..d (from 0, both ends included) of which only cells i < j count: an edge is one cell of one
region. The number of its cells, the rank of a cell in row-major order and the cell of a rank have closed forms, so no cell is
ever listed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers

__all__ = ["Regions", "cells_of", "quarters"]


def cells_of(a: Integers, b: Integers, c: Integers, d: Integers) -> Integers:
    """How many cells i < j there are in rows a..b and columns c..d.

    >>> cells_of(np.array([0]), np.array([3]), np.array([0]), np.array([3])).tolist()
    [6]
    """
    full = np.maximum(0, np.minimum(b, c - 1) - a + 1) * np.maximum(0, d - c + 1)  # rows above the first column
    first, last = np.maximum(a, c), np.minimum(b, d - 1)  # rows that begin right of the diagonal
    longest, shortest = d - first, d - last
    partial = np.where((last >= first) & (d >= c), (longest + shortest) * (last - first + 1) // 2, 0)
    return np.asarray(np.where((b >= a) & (d >= c), full + partial, 0), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Regions:
    """Regions in four columns."""

    a: Integers = field(repr=False)
    b: Integers = field(repr=False)
    c: Integers = field(repr=False)
    d: Integers = field(repr=False)

    @classmethod
    def whole(cls, vertices: int) -> Regions:
        """The whole triangle."""
        return cls(*(np.array([value], dtype=np.int64) for value in (0, vertices - 1, 0, vertices - 1)))

    def __len__(self) -> int:
        """The number of regions."""
        return int(self.a.size)

    @property
    def cells(self) -> Integers:
        """How many cells each region has."""
        return cells_of(self.a, self.b, self.c, self.d)

    def chosen(self, which: AnyIntegers | Booleans) -> Regions:
        """Some of the regions."""
        return Regions(self.a[which], self.b[which], self.c[which], self.d[which])

    def rank(self, region: Integers, rows: Integers, columns: Integers) -> Integers:
        """The place of each cell within its region, row by row."""
        a, c, d = self.a[region], self.c[region], self.d[region]
        return cells_of(a, rows - 1, c, d) + columns - np.maximum(c, rows + 1)

    def unrank(self, region: Integers, ranks: Integers) -> tuple[Integers, Integers]:
        """The row and column of each place."""
        a, c, d = self.a[region], self.c[region], self.d[region]
        low, high = a.copy(), self.b[region].copy()
        while np.any(low < high):
            middle = (low + high) // 2
            beyond = cells_of(a, middle, c, d) > ranks
            low, high = np.where(beyond, low, middle + 1), np.where(beyond, middle, high)
            low = np.minimum(low, high)
        before = cells_of(a, low - 1, c, d)
        return low, np.maximum(c, low + 1) + ranks - before


def quarters(regions: Regions, rows: Integers, columns: Integers) -> list[Regions]:
    """The four parts of each region, cut behind a row and behind a column."""
    a, b, c, d = regions.a, regions.b, regions.c, regions.d
    return [
        Regions(a, rows, c, columns),
        Regions(a, rows, columns + 1, d),
        Regions(rows + 1, b, c, columns),
        Regions(rows + 1, b, columns + 1, d),
    ]
