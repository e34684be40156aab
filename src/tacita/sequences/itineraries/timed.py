"""Itineraries with times: what is asked about times, why one record cannot change it much, and in which order it is asked.

`TimeQuestions` is, with `questions`, the wall. `TimedItineraries` asks for lengths first, then for places as without times, then
for times, each table as fine as its noise allows. Noisy lengths decide what the rest of the budget goes to. If nearly all
sequences have one visit, places and times are two tables, with a third of when places are visited if there are enough sequences
for it; otherwise the questions of itineraries are asked, and those about times after them. What was asked by place also counts
each place once more; both counts are joined by their noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged
from tacita.counting import SequenceCounts, Tally, TimeCounts
from tacita.privacy.account import Account
from tacita.privacy.budget import Plan, Sequential, Step
from tacita.privacy.publishing import Progress, refuse_flood
from tacita.privacy.questions import Asks, every_count
from tacita.public.letters import UNIT
from tacita.public.time_grid import GapCells, TimeGrid, VisitCells, day_lengths, evenly_divided, gap_bins
from tacita.sequences.itineraries.questions import Questions
from tacita.sequences.itineraries.shares import LENGTHS, SHARES, SINGLE_LENGTHS, Caps, Shares, single_timed_shares, timed_shares
from tacita.sequences.itineraries.synthesis import itineraries
from tacita.sequences.itineraries.synthesis.noisy_times import NoisyGaps, NoisyTable, NoisyTimes, likely_day, shrunk
from tacita.sequences.itineraries.synthesis.popularity import visited_as_wanted
from tacita.sequences.itineraries.synthesis.posterior import posterior_means
from tacita.sequences.itineraries.synthesis.timing import timed
from tacita.sequences.ngrams.synthesis import GramLevel, GramTree

__all__ = ["MOST_INTERVALS", "TimeQuestions", "TimedItineraries", "plan_with_times"]


# The wall: what is asked about times, and what one record can change.
#
# Every question is about sequences that are cut after `max_length` visits, which is a map of one record. Adding or removing one
# record x of l <= max_length visits changes
#
# - *first times*: one cell by 1, because x has one length and begins once. Sensitivity 1.
# - *visits*, *times* and *times by place*: each of its l visits is in one cell and counts w = floor(UNIT * cap / l) there, or
#   UNIT if l <= cap. All of them together are l * w <= UNIT * cap, whatever the cells are: places and blocks of intervals may
#   be joined or divided as noisy answers suggest, since every visit is still in exactly one cell. Sensitivity UNIT * cap. With
#   cap = max_length, every visit counts 1 instead, l <= max_length in all.
# - *gaps*: each of its l - 1 gaps is in one cell and counts floor(UNIT * cap / (l - 1)), or UNIT if l - 1 <= cap; in the same
#   way, UNIT * cap in all, or max_length - 1 if each counts 1.
#
# Cells, caps and how finely a place is divided by time are decided by noisy answers and public parameters alone.


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


# The order of the questions, and what noisy lengths decide.


PLACES_AND_TIMES = "places and times"

MOST_INTERVALS = 2_000
"""Steps from interval to interval are tables with this many rows and columns."""

DOUBT = 1.5
"""How many scales of its noise a place loses before it is decided how finely its times are asked."""

ALL_SINGLE = 0.02
"""Sequences are taken as single visits if less than this share of all visits comes after a first one."""


def plan_with_times(epsilon: Fraction, max_length: int) -> Plan:
    """Lengths, and the rest, whose parts depend on them."""
    share = SINGLE_LENGTHS if max_length == 1 else LENGTHS
    note = "divided by what noisy lengths say: places, times, and when places are visited"
    rest = Step(name=PLACES_AND_TIMES, epsilon=epsilon * (1 - share), note=note)
    return Sequential(name="itineraries", parts=(Step(name="lengths", epsilon=epsilon * share, note=SHARES["lengths"][1]), rest))


class MakesQuestions(Protocol):
    """Makes the questions of itineraries that are cut after so many symbols, with what each step costs."""

    def __call__(self, epsilons: Mapping[str, Fraction], max_length: int, /) -> Questions:
        """The questions."""
        ...


@dataclass(frozen=True, kw_only=True)
class TimedItineraries:
    """Asks for places and times and writes sequences of both. All parameters are public."""

    symbols: int
    grid: TimeGrid
    epsilon: Fraction
    max_length: int
    questions: MakesQuestions

    def sequences(self, counts: SequenceCounts, account: Account, *, progress: Progress | None = None) -> Ragged:
        """Ask and write."""
        places = counts.untimed(labels=self.symbols)
        for_lengths = account.planned("lengths").epsilon
        left = account.planned(PLACES_AND_TIMES).epsilon
        known = self.questions({"lengths": for_lengths}, self.max_length).lengths(places, account)
        lengths = known[1]
        if self.max_length == 1 or _are_single(lengths, self.max_length):
            return self._singly(counts, places, account, float(lengths.sum()), left)
        visits = float(lengths @ np.minimum(np.arange(lengths.size), self.max_length))
        shares = timed_shares(
            visits=visits,
            mean_length=max(1.0, visits / max(float(lengths.sum()), 1.0)),
            symbols=self.symbols,
            intervals=self.grid.intervals,
            epsilon=self.epsilon,
        )
        epsilons = self._unfold(account, left, shares)
        noisy = self.questions(epsilons, self.max_length).asked_further(places, account, known=known, progress=progress)
        asks, times = self._times(self.max_length), counts.times(labels=self.symbols, max_length=self.max_length)
        visited = asks.visits(times, account, lengths=lengths)
        noisy = replace(noisy, places=_recounted(noisy.places, visited, noisy.cover))
        popularity = _popularity(noisy.places, noisy.cover, self.symbols)
        found = asks.asked(times, account, lengths=lengths, popularity=popularity, by_place=True)
        if found.places is not None:
            noisy = replace(noisy, places=_recounted(noisy.places, found.places, noisy.cover))
        wanted = _expected(noisy.places, self.symbols)
        noisy = replace(noisy, first=_like(noisy.first, wanted))
        return timed(visited_as_wanted(itineraries(noisy), wanted), found)

    def _singly(self, counts: SequenceCounts, places: SequenceCounts, account: Account, number: float, left: Fraction) -> Ragged:
        """Sequences of one visit."""
        shares = single_timed_shares(records=number, symbols=self.symbols, intervals=self.grid.intervals, epsilon=self.epsilon)
        epsilons = self._unfold(account, left, shares)
        refuse_flood(number)
        first = self.questions(epsilons, 1).first_places(places, account)
        found = self._times(1).asked(
            counts.times(labels=self.symbols, max_length=1),
            account,
            lengths=np.array([0.0, number, 0.0]),
            popularity=_popularity(first, 1.0, self.symbols),
            by_place="times by place" in epsilons,
        )
        if found.places is not None:
            first = _recounted(first, found.places, 1.0)
        records = round(number)
        reached = np.cumsum(_expected(first, self.symbols))
        reached *= records / max(float(reached[-1]), 1e-12)
        codes = np.searchsorted(reached, np.arange(records) + 0.5).astype(np.int32)
        return timed(Ragged(np.minimum(codes, self.symbols - 1), np.arange(records + 1, dtype=np.int64)), found)

    def _times(self, max_length: int) -> TimeQuestions:
        return TimeQuestions(
            symbols=self.symbols, intervals=self.grid.intervals, max_length=max_length, days=day_lengths(self.grid)
        )

    def _unfold(self, account: Account, left: Fraction, shares: Shares) -> Mapping[str, Fraction]:
        """Divide what is left in these parts; what each step costs."""
        steps = tuple(Step(name=name, epsilon=left * share, note=note) for name, (share, note) in shares.items())
        account.unfold(PLACES_AND_TIMES, Sequential(name="itineraries with times", parts=steps))
        return {step.name: step.epsilon for step in steps}


def _are_single(lengths: Reals, max_length: int) -> bool:
    symbols = np.minimum(np.arange(lengths.size), max_length)
    later = float(lengths @ np.maximum(symbols - 1, 0))
    return later < ALL_SINGLE * float(lengths @ symbols)


def _popularity(tree: GramTree, cover: float, symbols: int) -> Reals:
    """How often each place is visited, less what noise may have added."""
    found = np.zeros(symbols)
    if tree.levels:
        level = tree.levels[0]
        found[level.symbols] = np.maximum(level.counts - DOUBT * level.scales, 0.0) / cover
    return found


def _expected(tree: GramTree, symbols: int) -> Reals:
    """How often each place is visited, as far as that stands out of the noise."""
    found = np.zeros(symbols)
    if tree.levels and len(tree.levels[0]):
        level = tree.levels[0]
        found[level.symbols] = posterior_means(level.counts.astype(np.float64), level.scales)
    return found if found.sum() > 0 else np.ones(symbols)


def _like(tree: GramTree, popularity: Reals) -> GramTree:
    """The same tree of first places, which are taken to be as popular as places are where noise explains that they differ."""
    if not tree.levels or not len(tree.levels[0]) or not popularity.sum() > 0:
        return tree
    level = tree.levels[0]
    total = max(float(level.counts.sum()), 1.0)
    expected = popularity[level.symbols] / popularity.sum() * total
    variance = 2 * float((level.scales**2).mean())
    counts = shrunk(level.counts[np.newaxis].astype(np.float64), expected[np.newaxis], variance)[0]
    first = GramLevel(level.parents, level.symbols, np.rint(counts).astype(np.int64), level.asked, level.scales)
    return replace(tree, levels=(first, *tree.levels[1:]))


def _recounted(tree: GramTree, table: NoisyTable, cover: float) -> GramTree:
    """The same tree with counts of single places joined with those that are in a table of times, each by its noise."""
    if table.cells is None or not tree.levels or not table.cells.cells:
        return tree
    level = tree.levels[0]
    sizes = (table.cells.blocks.max(axis=1) + 1)[table.cells.level]
    again = np.add.reduceat(table.counts, table.cells.first)[level.symbols] * cover
    variance = table.variance * sizes[level.symbols] * cover**2
    mine = 2 * level.scales**2
    joined = (level.counts * variance + again * mine) / (variance + mine)
    scales = np.sqrt(mine * variance / (mine + variance) / 2)
    single = GramLevel(level.parents, level.symbols, np.rint(joined).astype(np.int64), level.asked, scales)
    return replace(tree, levels=(single, *tree.levels[1:]))
