"""Times for sequences of places: when each begins, and when its next visit is, one visit after the other.

A sequence of class c whose first place is in row r begins in interval t with probability proportional to first[c, t] tilt[r, t].
After a visit in interval t, with others left, the next one is in t' >= t with probability proportional to

    gap[q, bin(t' - t)] * tilt[r', t'],

where q is the row of gaps (how many visits are left, and the time of the day) and r' the row of the next place. Places that are
visited often have rows of their own, all others share the last one. The three tables are raked: each round lets a sample of the
sequences go, and multiplies first times by what is wanted of them over what came, then gaps, the times of each place, and times
altogether. Times never go back, and each sequence has as many visits as it had.

What is wanted is what noisy answers say once their noise is taken into account. Counts c of a row with noise of variance v are
compared with what coarser answers let expect of them, m. They are taken as m + k (c - m) with k = max(0, 1 - n v / |c - m|^2)
for a row of B counts (positive-part shrinkage, James and Stein 1961), n being B - 1 and one standard deviation of the squares of
as many noises. A row with |m|^2 < 8 v is taken as expected, whatever was counted.

Single places and intervals are taken as their mean given the count (`tacita.synthesis.posterior`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Reals
from tacita.arrays.ragged import Ragged, offsets_of, ranges
from tacita.arrays.scatter import on_simplex, spread
from tacita.public.time_grid import GapCells, VisitCells
from tacita.sequences.raked.synthesis.lengths import Cap
from tacita.synthesis import posterior_means

__all__ = ["NoisyGaps", "NoisyTable", "NoisyTimes", "likely_day", "timed"]


ROUNDS, LAST, PILOT, DAMPING, FURTHEST = 10, 4, 20_000, 0.8, 4.0
PRIOR = 1.0
"""As many sequences, and gaps, are imagined at the usual times of each class, so that nothing is impossible."""

AT_ONCE = 2**22
"""How many numbers of a table of choices are made together."""

GOLDEN = (5**0.5 - 1) / 2

_TINY = 1e-12


def timed(lists: Ragged, noisy: NoisyTimes) -> Ragged:
    """The same sequences with times: interval times the number of labels, plus label."""
    if not len(lists) or not lists.codes.size:
        return lists
    clock = _Clock(noisy, lists)
    if lists.codes.size > len(lists):
        picked = np.arange(0, len(lists), max(1, len(lists) // PILOT))
        sample = Ragged(lists.codes[ranges(lists.offsets[picked], lists.lengths[picked])], offsets_of(lists.lengths[picked]))
    else:
        sample = lists  # of one visit each: a round is exact, and costs no more than a table
    for turn in range(ROUNDS):
        came = _Came.nothing(clock)
        clock.go(sample, came)
        clock.correct(came, all_tables=turn < ROUNDS - LAST)
    times = clock.go(lists, None)
    codes = times * noisy.symbols + lists.codes
    return Ragged(codes.astype(np.int64 if codes.max() >= 2**31 else np.int32), lists.offsets)


@dataclass(kw_only=True, eq=False)
class _Came:
    """How many sequences, gaps and visits are expected where, given the tables."""

    first: Reals
    gap: Reals
    tilt: Reals

    @classmethod
    def nothing(cls, clock: _Clock) -> _Came:
        return cls(first=np.zeros_like(clock.first), gap=np.zeros_like(clock.gap), tilt=np.zeros_like(clock.tilt))


class _Clock:
    """The three tables, and what is wanted of them."""

    def __init__(self, noisy: NoisyTimes, lists: Ragged) -> None:
        """Begin with what the noisy answers say, each taken alone."""
        self.noisy = noisy
        self.intervals = noisy.intervals
        self.hours = np.maximum(noisy.hours, _TINY)
        self._see_places(np.bincount(lists.codes, minlength=noisy.symbols).astype(np.float64))
        independent = self._independent(lists)
        self._see_beginnings(lists, independent)
        self._see_gaps(lists, independent)

    def _see_places(self, visits: Reals) -> None:
        """Rows of places: when each is visited, as far as that stands out of its noise."""
        table = self.noisy.places
        level = np.zeros(self.noisy.symbols, dtype=np.int64) if table is None or table.cells is None else table.cells.level
        own = np.flatnonzero((level > 0) & (visits > 0))
        self.row_of = np.full(self.noisy.symbols, own.size, dtype=np.int64)
        self.row_of[own] = np.arange(own.size)
        self.wanted_tilt = np.repeat(self.hours[np.newaxis], own.size + 1, axis=0)
        self.wanted_tilt *= np.append(visits[own], visits.sum() - visits[own].sum())[:, np.newaxis]
        self.own = own.size
        if table is None or table.cells is None:
            own = own[:0]
        for each in np.unique(level[own]).tolist():
            if table is None or table.cells is None:
                break
            rows = np.flatnonzero(level[own] == each)
            block_of = table.cells.blocks[each]
            width = int(block_of.max()) + 1
            shares = np.bincount(block_of, weights=self.hours, minlength=width)
            expected = visits[own[rows], np.newaxis] * shares
            counts = table.counts[table.cells.first[own[rows], np.newaxis] + np.arange(width)]
            found = shrunk(counts, expected, table.variance)
            self.wanted_tilt[rows] *= (found / expected)[:, block_of]
        self.tilt = self.wanted_tilt / np.maximum(self.wanted_tilt.sum(axis=1, keepdims=True), _TINY) / self.hours
        np.maximum(self.tilt, 1e-6, out=self.tilt)

    def _see_beginnings(self, lists: Ragged, independent: Integers) -> None:
        """When sequences of each class begin; as if their times were independent, where noise covers that."""
        table = self.noisy.first_times
        self.wanted_first = None
        if table is None or table.class_of is None:
            self.class_of = np.zeros(2, dtype=np.int64)
            self.first = self.hours[np.newaxis].copy()
            return
        self.class_of = table.class_of
        there = np.flatnonzero(lists.lengths)
        classes = self.class_of[np.minimum(lists.lengths[there], self.class_of.size - 1)]
        cells = classes * self.intervals + independent[lists.offsets[there]]
        expected = np.bincount(cells, minlength=table.counts.size).reshape(table.counts.shape) + PRIOR * self.hours
        total = np.maximum(table.counts.sum(axis=1, keepdims=True), 1.0)
        self.wanted_first = shrunk(table.counts, _shares(expected) * total, table.variance) * (self.noisy.hours > 0)
        self.first = _shares(self.wanted_first + _TINY)

    def _see_gaps(self, lists: Ragged, independent: Integers) -> None:
        """How long gaps are, in relation to how many visits there are so much later; the same holds where noise covers that."""
        gaps = self.noisy.gaps
        self.wanted_gap = None
        if gaps is None:
            self.gap = np.zeros((1, 1))
            return
        left = np.repeat(lists.offsets[1:], lists.lengths) - 1 - np.arange(lists.codes.size)
        going = np.flatnonzero(left > 0)
        since, until = independent[going], independent[going + 1]
        cells = gaps.cells.at(left[going], since, until - since)
        rows, width = gaps.counts.shape
        expected = np.bincount(cells, minlength=rows * width).reshape(rows, width) + PRIOR / width
        total = np.maximum(gaps.counts.sum(axis=1, keepdims=True), 1.0)
        self.wanted_gap = _shares(shrunk(gaps.counts, _shares(expected) * total, 2 * gaps.scale**2) + _TINY)
        later = np.arange(self.intervals)
        self.gap_bins = np.where(later >= later[:, np.newaxis], gaps.cells.bins[np.abs(later - later[:, np.newaxis])], width)
        reach = np.stack([np.bincount(row, weights=self.hours, minlength=width + 1)[:width] for row in self.gap_bins])
        starts = np.bincount(gaps.cells.rows(left[going], since) * self.intervals + since, minlength=rows * self.intervals)
        there = (starts.reshape(rows, -1) + PRIOR * self.hours) @ reach
        self.gap = self.wanted_gap / np.maximum(_shares(there), 1e-9)
        self.gap /= np.maximum(self.gap.max(axis=1, keepdims=True), _TINY)

    def _independent(self, lists: Ragged) -> Integers:
        """Times that are drawn one by one and put in order: what is expected of sequences of whose times nothing is known."""
        numbers = spread(np.arange(lists.codes.size), salt=7)
        times = np.minimum(np.searchsorted(np.cumsum(self.hours) / self.hours.sum(), numbers), self.intervals - 1)
        owners = np.repeat(np.arange(len(lists)), lists.lengths)
        return np.asarray(times[np.lexsort((times, owners))], dtype=np.int64)

    def go(self, lists: Ragged, came: _Came | None) -> Integers:
        """The interval of each visit; what was expected on the way is added to `came`."""
        times = np.zeros(lists.codes.size, dtype=np.int64)
        lengths = lists.lengths
        going = np.flatnonzero(lengths > 0)
        at = lists.offsets[:-1][going]
        classes = self.class_of[np.minimum(lengths[going], self.class_of.size - 1)]
        times[at] = self._chosen(classes, lists.codes[at], came, place=0)
        gaps = self.noisy.gaps
        if gaps is None:
            return times
        for place in range(1, int(lengths.max(initial=0))):
            going = going[lengths[going] > place]
            at = lists.offsets[:-1][going] + place
            since = times[at - 1]
            before = gaps.cells.rows(lengths[going] - place, since) * self.intervals + since
            times[at] = np.maximum(self._chosen(before, lists.codes[at], came, place=place), since)
        return times

    def _chosen(self, before: Integers, codes: AnyIntegers, came: _Came | None, *, place: int) -> Integers:
        """Intervals for visits, all that are alike in the row of their place and in what came before dealt out evenly.

        What came before is a class of lengths at the first place, and later a row of gaps and an interval.
        """
        width = self.tilt.shape[0]
        kinds, kind_of, sizes = np.unique(before * width + self.row_of[codes], return_inverse=True, return_counts=True)
        kind_of = kind_of.reshape(-1)
        numbers = _evenly(codes.astype(np.int64), turn=place)
        order, ends = np.argsort(kind_of, kind="stable"), np.cumsum(sizes)
        chosen = np.empty(kind_of.size, dtype=np.int64)
        step = max(1, AT_ONCE // self.intervals)
        for start in range(0, kinds.size, step):
            part = slice(start, min(start + step, kinds.size))
            of, row = np.divmod(kinds[part], width)
            weights = (self._kernels(of) * self.hours if place else self.first[of]) * self.tilt[row]
            reached = np.cumsum(weights, axis=1)
            total = np.maximum(reached[:, -1:], 1e-300)
            if came is not None:
                self._note(came, weights * (sizes[part, np.newaxis] / total), of, row, is_first=not place)
            reached /= total
            reached += np.arange(reached.shape[0])[:, np.newaxis]
            who = order[(ends[start] - sizes[start]) : ends[part.stop - 1]]
            inside = kind_of[who] - start
            found = np.searchsorted(reached.ravel(), inside + numbers[who], side="right")
            chosen[who] = np.minimum(found - inside * self.intervals, self.intervals - 1)
        return chosen

    def _kernels(self, of: Integers) -> Reals:
        """The gaps from one interval to all that are not earlier."""
        row, since = np.divmod(of, self.intervals)
        padded = np.concatenate([self.gap, np.zeros((self.gap.shape[0], 1))], axis=1)
        return np.asarray(padded[row[:, np.newaxis], self.gap_bins[since]], dtype=np.float64)

    def _note(self, came: _Came, expected: Reals, of: Integers, row: Integers, *, is_first: bool) -> None:
        np.add.at(came.tilt, row, expected)
        if is_first:
            np.add.at(came.first, of, expected)
            return
        gap_row, since = np.divmod(of, self.intervals)
        cells = gap_row[:, np.newaxis] * (self.gap.shape[1] + 1) + self.gap_bins[since]
        sums = np.bincount(cells.ravel(), weights=expected.ravel(), minlength=self.gap.shape[0] * (self.gap.shape[1] + 1))
        came.gap += sums.reshape(self.gap.shape[0], -1)[:, :-1]

    def correct(self, came: _Came, *, all_tables: bool) -> None:
        """Rake the tables towards what is wanted; in the last rounds only when places are visited, which matters most."""
        power = DAMPING if self.wanted_gap is not None else 1.0
        if self.wanted_first is not None and all_tables:
            self.first *= _ratios(_shares(self.wanted_first), _shares(came.first), power)
        if self.wanted_gap is not None and all_tables:
            self.gap *= _ratios(self.wanted_gap, _shares(came.gap), power)
        ratio = _ratios(_shares(self.wanted_tilt), _shares(came.tilt), power)
        ratio[-1] = 1.0  # nothing is known of places that are rarely visited but that all times must come out right
        self.tilt *= ratio
        moved = came.tilt * ratio
        altogether = _ratios(self.hours, moved.sum(axis=0) / max(float(moved.sum()), _TINY), power)
        self.tilt *= altogether


def _shares(table: Reals) -> Reals:
    """Each row as shares of its sum."""
    return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), _TINY), dtype=np.float64)


def _evenly(groups: AnyIntegers, *, turn: int) -> Reals:
    """A number for each element, spread evenly over the elements of each group by multiples of the golden ratio."""
    narrow = groups.astype(np.uint16) if int(groups.max(initial=0)) < 2**16 else groups  # 16 bits sort by radix
    numbers = np.empty(groups.size)
    numbers[np.argsort(narrow, kind="stable")] = (np.arange(groups.size) * GOLDEN + 0.37 * turn) % 1.0
    return numbers


def _ratios(wanted: Reals, came: Reals, power: float) -> Reals:
    """Factors towards what is wanted, none of them far from 1."""
    floor = 1e-7
    return np.asarray(np.clip((wanted + floor) / (came + floor), 1 / FURTHEST, FURTHEST) ** power, dtype=np.float64)


# What noisy answers say.


DROWNED = 8.0
"""A row is taken as expected if the sum of its squares is below this many variances of its noise."""

DEVIATIONS = 2.0
"""Hours together are taken as empty if their sum is below this many standard deviations of its noise."""

EXPLAINED = 0.25
"""A day is believed in if its hours explain this share of how times differ, beyond what as many numbers would by chance."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyTable:
    """Noisy counts, and the scale of their noise; of which classes of lengths, or in which cells, where that is not plain."""

    counts: Reals
    scale: float
    class_of: Integers | None = None
    cells: VisitCells | None = None
    cap: Cap = field(default_factory=partial(Cap, most=1))
    """What the visits of one record might weigh."""

    @property
    def variance(self) -> float:
        """The variance of the noise of each count."""
        return 2 * self.scale**2


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyGaps:
    """Noisy counts of gaps, a row for each class of what is left and block of times."""

    cells: GapCells
    counts: Reals
    scale: float


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyTimes:
    """Noisy answers to the questions about times. Sequences of one visit have no gaps."""

    symbols: int
    intervals: int
    day: int | None
    """The intervals of a day, if hours differ from each other as those of a day do."""
    times: NoisyTable
    first_times: NoisyTable | None
    gaps: NoisyGaps | None
    places: NoisyTable | None

    @cached_property
    def hours(self) -> Reals:
        """The share of all visits in each interval; none in those that do not stand out, alone or as an hour of all days."""
        counts = self.times.counts
        means = posterior_means(counts, self.times.scale)
        day = self.intervals if self.day is None else self.day
        hours = np.arange(self.intervals) % day
        deviations = np.sqrt(2 * np.bincount(hours, minlength=day)) * self.times.scale
        sums = np.bincount(hours, weights=counts, minlength=day)
        largest = np.sqrt(2 * np.log(self.intervals + 1))  # of so many cells of noise, in deviations; about
        hidden = (counts <= self.times.scale * np.log(self.intervals + 1)) & (sums <= largest * deviations)[hours]
        if not hidden.all() and counts[hidden].sum() <= DEVIATIONS * np.sqrt(hidden.sum()) * np.sqrt(2) * self.times.scale:
            means = np.where(hidden, 0.0, means)  # nobody is sent where noise explains all that was counted, alone and together
        return np.asarray(means / means.sum(), dtype=np.float64)

    @property
    def visits(self) -> tuple[Reals, Reals] | None:
        """How often each place is visited, and the variance of that: the sums of its times, if they were asked."""
        if self.places is None or self.places.cells is None:
            return None
        sizes = (self.places.cells.blocks.max(axis=1) + 1)[self.places.cells.level]
        return np.add.reduceat(self.places.counts, self.places.cells.first), self.places.variance * sizes


def shrunk(counts: Reals, expected: Reals, variance: float) -> Reals:
    """Rows between what is expected of them and what was counted, none below 0, each with the sum that is expected.

    >>> shrunk(np.array([[9.0, 1.0], [6.0, 4.0]]), np.array([[5.0, 5.0], [5.0, 5.0]]), 1.0).round(2).tolist()
    [[8.48, 1.52], [5.0, 5.0]]
    """
    apart = counts - expected
    apart -= apart.mean(axis=1, keepdims=True)
    square = np.maximum((apart**2).sum(axis=1), 1e-12)
    width = counts.shape[1]
    kept = np.maximum(0.0, 1 - (width - 1 + np.sqrt(5 * width)) * variance / square)
    kept[(expected**2).sum(axis=1) < DROWNED * variance] = 0.0
    found = expected + kept[:, np.newaxis] * apart
    return np.stack([on_simplex(row, float(sums)) for row, sums in zip(found, expected.sum(axis=1), strict=True)])


def likely_day(times: NoisyTable, days: tuple[int, ...]) -> int | None:
    """The length of a day whose hours explain best how noisy times differ; none if none of them explains enough."""
    best, found = EXPLAINED, None
    counts = times.counts - times.counts.mean()
    square = float((counts**2).sum())
    signal = square - (counts.size - 1) * times.variance
    if signal <= 2 * np.sqrt(5 * counts.size) * times.variance:  # noise alone may differ as much
        return None
    for day in days:
        hours = np.arange(counts.size) % day
        number = np.bincount(hours, minlength=day)
        sums = np.bincount(hours, weights=counts, minlength=day)
        chance = square * (day - 1) / (counts.size - 1)
        explained = (float((sums**2 / number).sum()) - chance) / signal
        if explained > best:
            best, found = explained, day
    return found
