"""How visits and the gaps between them are told apart by time: cells that are public, or decided by noisy answers.

A visit belongs to a place and an interval of the grid. Popular places are told apart by many intervals, others by a few blocks of
them or not at all. A *fold* joins intervals at the same time of several days: mornings differ from evenings in most places, and
one Tuesday from the next in few.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from tacita.arrays import Integers
from tacita.public.time_grid import TimeGrid

__all__ = ["GapCells", "VisitCells", "day_lengths", "evenly_divided", "gap_bins"]


DAYS = (86_400, 1_440, 24)
"""A day in seconds, minutes and hours, for grids of numbers, whose unit nobody has said."""

LEAST_OF_A_DAY = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class VisitCells:
    """A visit to place p in interval t is in cell first[p] + blocks[level[p], t]; there are `cells` of them."""

    first: Integers
    level: Integers
    blocks: Integers
    cells: int

    @classmethod
    def of(cls, level: Integers, blocks: Integers) -> VisitCells:
        """Places in order, each with as many cells as its level has blocks."""
        sizes = (blocks.max(axis=1) + 1)[level]
        ends = np.cumsum(sizes)
        return cls(first=ends - sizes, level=level, blocks=blocks, cells=int(ends[-1]) if ends.size else 0)

    def at(self, places: Integers, intervals: Integers) -> Integers:
        """The cell of each visit."""
        return np.asarray(self.first[places] + self.blocks[self.level[places], intervals], dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class GapCells:
    """The gap after a visit, by how many visits are left, by the block of its interval, and by the bin of its length."""

    by_left: Integers
    """The class of each number of visits that are left, from 0 on; after the last one there is no gap."""
    blocks: Integers
    bins: Integers

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, which are a class and a block each, and of bins."""
        return int(self.by_left.max() + 1) * int(self.blocks.max() + 1), int(self.bins.max() + 1)

    def rows(self, left: Integers, intervals: Integers) -> Integers:
        """The row of each visit after which others are left."""
        return np.asarray(self.by_left[left] * (int(self.blocks.max()) + 1) + self.blocks[intervals], dtype=np.int64)

    def at(self, left: Integers, intervals: Integers, gaps: Integers) -> Integers:
        """The cell of each gap."""
        return self.rows(left, intervals) * self.shape[1] + self.bins[gaps]


def day_lengths(grid: TimeGrid) -> tuple[int, ...]:
    """How many intervals a day may have; none if the grid is shorter than two days, or not a part of a day long."""
    interval = grid.interval
    days = (timedelta(days=1) / interval,) if isinstance(interval, timedelta) else tuple(day / interval for day in DAYS)
    return tuple(int(day) for day in days if day.is_integer() and LEAST_OF_A_DAY <= day <= grid.intervals / 2)


def evenly_divided(intervals: int, blocks: int, *, day: int | None = None) -> Integers:
    """The block of each interval, if all of them, or those of every day alike, are divided into blocks of nearly equal length.

    >>> evenly_divided(10, 2).tolist(), evenly_divided(10, 2, day=4).tolist()
    ([0, 0, 0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1, 0, 0])
    """
    length = intervals if day is None else day
    return np.arange(intervals, dtype=np.int64) % length * min(blocks, length) // length


def gap_bins(intervals: int, *, exact: int, widening: int) -> Integers:
    """The bin of each gap: short gaps have bins of their own, and long ones share bins a part of their own length wide.

    >>> gap_bins(12, exact=3, widening=3).tolist()
    [0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 8]
    """
    bins, number, start = np.zeros(intervals, dtype=np.int64), 0, 0
    while start < intervals:
        width = 1 if start < exact else max(1, start // widening)
        bins[start : start + width] = number
        start, number = start + width, number + 1
    return bins
