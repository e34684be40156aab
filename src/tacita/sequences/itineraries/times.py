"""What is asked about times, and why one record cannot change it much. With `questions`, this is the wall.

Every question is about sequences that are cut after `max_length` visits, which is a map of one record. Adding or removing one
record x of l <= max_length visits changes

- *first times*: one cell by 1, because x has one length and begins once. Sensitivity 1.
- *visits*, *times* and *times by place*: each of its l visits is in one cell and counts w = floor(UNIT * cap / l) there, or UNIT
  if l <= cap. All of them together are l * w <= UNIT * cap, whatever the cells are: places and blocks of intervals may be joined
  or divided as noisy answers suggest, since every visit is still in exactly one cell. Sensitivity UNIT * cap. With
  cap = max_length, every visit counts 1 instead, l <= max_length in all.
- *gaps*: each of its l - 1 gaps is in one cell and counts floor(UNIT * cap / (l - 1)), or UNIT if l - 1 <= cap; in the same way,
  UNIT * cap in all, or max_length - 1 if each counts 1.

Cells, caps and how finely a place is told apart by time are decided by noisy answers and public parameters alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.counting import Tally, TimeCounts
from tacita.privacy.questions import Asks, every_count
from tacita.public.letters import UNIT
from tacita.public.timetable import GapCells, VisitCells, evenly_divided, gap_bins
from tacita.sequences.itineraries.shares import Caps
from tacita.sequences.itineraries.synthesis.noisy_times import NoisyGaps, NoisyTable, NoisyTimes, likely_day

__all__ = ["TimeQuestions"]


LENGTH_CLASSES, LEFT_CLASSES = 5, 4
"""Lengths of 1, 2 to 3, 4 to 7, 8 to 15 and more are told apart; and so are visits that are left, up to 8 and more."""

SUPPORT, GAP_SUPPORT = 2.0, 3.0
"""A place has as many blocks of time as leave each of them this many times the scale of its noise; and gaps so many bins."""

PARTS = (4, 8)
"""Into how many parts a day, or the whole grid if it is not longer, is divided for places that are not visited often."""

MOST_KERNELS = 2**24
"""A table of steps has at most so many entries: rows of gaps, times intervals, times intervals."""


@dataclass(frozen=True, kw_only=True)
class TimeQuestions:
    """Everything that is asked about times. All parameters are public; `days` are possible lengths of a day in intervals."""

    symbols: int
    intervals: int
    max_length: int
    days: tuple[int, ...]

    def visits(self, counts: TimeCounts, account: Asks, *, lengths: Reals) -> NoisyTable:
        """Ask how often each place is visited, given noisy lengths."""
        cells = VisitCells.of(np.zeros(self.symbols, dtype=np.int64), np.zeros((1, self.intervals), dtype=np.int64))
        return self._visits(counts, account, "visits", cells, Caps(lengths=lengths, max_length=self.max_length))

    def asked(self, counts: TimeCounts, account: Asks, *, lengths: Reals, popularity: Reals, by_place: bool) -> NoisyTimes:
        """Ask one question after the other, given noisy lengths, and how often each place is visited at the least."""
        caps = Caps(lengths=lengths, max_length=self.max_length)
        times = self._times(counts, account, caps)
        day = likely_day(times, self.days)
        return NoisyTimes(
            symbols=self.symbols,
            intervals=self.intervals,
            times=times,
            first_times=self._first_times(counts, account) if self.max_length > 1 else None,
            gaps=self._gaps(counts, account, caps, day) if self.max_length > 1 else None,
            places=self._by_place(counts, account, caps, popularity, day) if by_place else None,
        )

    def _times(self, counts: TimeCounts, account: Asks, caps: Caps) -> NoisyTable:
        """When visits are."""
        nowhere = np.zeros(self.symbols, dtype=np.int64)
        every = np.arange(self.intervals, dtype=np.int64)[np.newaxis]
        cells = VisitCells(first=nowhere, level=nowhere, blocks=every, cells=self.intervals)
        return self._visits(counts, account, "times", cells, caps)

    def _visits(self, counts: TimeCounts, account: Asks, step: str, cells: VisitCells, caps: Caps) -> NoisyTable:
        cap = self._cap(caps, account, step)
        most, unit = (None, 1) if cap >= self.max_length else (cap, UNIT)
        truth = _dense(counts.visits(cells, most=most), cells.cells)
        table = _answered(account, step, truth, sensitivity=unit * cap, unit=unit * caps.cover(cap))
        return replace(table, cells=cells)

    def _cap(self, caps: Caps, account: Asks, step: str) -> int:
        """How many visits of one sequence may count."""
        cells = self.intervals if step == "times" else self.symbols
        return caps.best_of_table(cells=cells, epsilon=account.planned(step).epsilon)

    def _first_times(self, counts: TimeCounts, account: Asks) -> NoisyTable:
        """When sequences of each class of lengths begin."""
        class_of = _halvings(np.arange(self.max_length + 1), LENGTH_CLASSES)
        size = (int(class_of.max()) + 1) * self.intervals
        table = _answered(account, "first times", _dense(counts.beginnings(class_of, intervals=self.intervals), size))
        return NoisyTable(counts=table.counts.reshape(-1, self.intervals), scale=table.scale, class_of=class_of)

    def _gaps(self, counts: TimeCounts, account: Asks, caps: Caps, day: int | None) -> NoisyGaps:
        """How long it is to the next visit."""
        symbols = np.minimum(np.arange(caps.lengths.size), self.max_length)
        gaps = Caps(
            lengths=np.bincount(np.maximum(symbols - 1, 0), weights=caps.lengths).astype(np.float64),
            max_length=self.max_length - 1,
        )
        epsilon = account.planned("gaps").epsilon
        cap = gaps.best_of_table(cells=self.intervals, epsilon=epsilon)
        most, unit = (None, 1) if cap >= self.max_length - 1 else (cap, UNIT)
        cover = gaps.cover(cap)
        cells = self._gap_cells(gaps.total, cap / (cover * float(epsilon)), day)
        truth = _dense(counts.gaps(cells, most=most), cells.shape[0] * cells.shape[1])
        table = _answered(account, "gaps", truth, sensitivity=unit * cap, unit=unit * cover)
        return NoisyGaps(cells=cells, counts=table.counts.reshape(cells.shape), scale=table.scale)

    def _gap_cells(self, total: float, scale: float, day: int | None) -> GapCells:
        """As many rows and bins as leave each of them more than its noise."""
        classes = _halvings(np.arange(self.max_length), LEFT_CLASSES)
        fine = gap_bins(self.intervals, exact=2 * day if day is not None else 32, widening=16)
        coarse = gap_bins(self.intervals, exact=4, widening=4)
        for by_left, blocks, bins in (
            (classes, 8, fine),
            (classes, 4, fine),
            (classes, 4, coarse),
            (classes, 1, coarse),
            (np.zeros_like(classes), 1, coarse),
        ):
            cells = GapCells(by_left=by_left, blocks=evenly_divided(self.intervals, blocks, day=day), bins=bins)
            rows, width = cells.shape
            if total >= GAP_SUPPORT * scale * rows * width and rows * self.intervals**2 <= MOST_KERNELS:
                break
        return cells

    def _by_place(self, counts: TimeCounts, account: Asks, caps: Caps, popularity: Reals, day: int | None) -> NoisyTable:
        """When places are visited; those that are rarely visited are only counted once more."""
        epsilon = account.planned("times by place").epsilon
        cap = self._cap(caps, account, "times by place")
        blocks = _resolutions(self.intervals, day)
        sizes = blocks.max(axis=1) + 1
        scale = cap / (caps.cover(cap) * float(epsilon))
        level = np.searchsorted(sizes, popularity / (SUPPORT * scale), side="right") - 1
        cells = VisitCells.of(np.clip(level, 0, sizes.size - 1).astype(np.int64), blocks)
        return self._visits(counts, account, "times by place", cells, caps)


def _resolutions(intervals: int, day: int | None) -> Integers:
    """The block of each interval at each resolution, coarse ones first, each with more blocks than the one before."""
    whole = np.arange(intervals, dtype=np.int64)
    tables = [np.zeros(intervals, dtype=np.int64)]
    for block_of in (*(evenly_divided(intervals, part, day=day) for part in PARTS), whole if day is None else whole % day, whole):
        if block_of.max() > tables[-1].max():
            tables.append(block_of)
    return np.stack(tables)


def _halvings(numbers: Integers, classes: int) -> Integers:
    """The class of each number: 0 for 0 and 1, 1 for 2 and 3, 2 for 4 to 7, and so on up to the last class."""
    return np.minimum(np.log2(np.maximum(numbers, 1)).astype(np.int64), classes - 1)


def _dense(found: Tally, size: int) -> Integers:
    keys, counts = found
    table = np.zeros(size, dtype=np.int64)
    table[keys] = counts
    return table


def _answered(account: Asks, step: str, truth: Integers, *, sensitivity: int = 1, unit: float = 1.0) -> NoisyTable:
    """The noisy table, in visits."""
    epsilon: Fraction = account.planned(step).epsilon
    noisy = every_count(account, step, truth, sensitivity=sensitivity)
    return NoisyTable(counts=noisy / unit, scale=sensitivity / float(epsilon) / unit)
