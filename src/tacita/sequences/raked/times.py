"""What raked sequences ask about times, why one record cannot change it much, and what of the budget it costs. This is the wall.

Every question is about sequences that are cut after `max_length` visits, which is a map of one record. Adding or removing one
record x of l <= max_length visits changes

- *first times*: one cell by 1, because x has one length and begins once. Sensitivity 1.
- *times* and *times by place*: each of its l visits is in one cell and counts w = min(UNIT, floor(UNIT * m / l)) there. All of
  them together are l * w <= UNIT * m, whatever the cells are: places and blocks of intervals may be joined or divided as noisy
  answers suggest, since every visit is still in exactly one cell. Sensitivity UNIT * m.
- *gaps*: each of its l - 1 gaps is in one cell and counts min(UNIT, floor(UNIT * m / (l - 1))); in the same way, UNIT * m in all.

m, cells and how finely a place is divided by time are decided by noisy answers and public parameters alone, and so are the
shares. They follow from the noise: the error of a noisy table, as a share of all visits, is about its number of cells times the
scale of its noise, over twice the visits. Times and single places get what brings that error down to a target, up to a bound; so
they are never much worse than if nothing else had been asked. What is left goes to steps, ends, shapes, company and gaps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tacita.arrays import Integers
from tacita.counting import Tally, TimeCounts
from tacita.privacy.questions import Asks, every_count
from tacita.public.steps import UNIT
from tacita.public.time_grid import GapCells, VisitCells, evenly_divided, gap_bins
from tacita.sequences.raked.synthesis import Lengths, Noisy, Visits
from tacita.sequences.raked.synthesis.timing import NoisyGaps, NoisyTable, NoisyTimes, likely_day

__all__ = ["LEAST", "Shares", "TimeQuestions", "single_timed_shares", "timed_shares"]

Shares = dict[str, tuple[Fraction, str]]

TIMES_TARGET, PLACES_TARGET = 0.015, 0.01
TIMES, PLACES = (8, 32), (6, 38)
"""The least and the most hundredths of what lengths leave for times, and for single places."""

BY_PLACE = Fraction(12, 100), Fraction(8, 100)
"""The part for times by place, and the one where single places need all that they may have."""

FIRST_TIMES, GAPS = Fraction(6, 100), Fraction(9, 100)
"""The parts of what is left that go to the beginnings of sequences, and to gaps; the others are asked without times too."""

TOLD_APART, BY_SINGLE_PLACE, SINGLE_TIMES = 50.0, Fraction(48, 100), Fraction(20, 100)
"""Sequences of one visit: places are told apart by time from this many of them times epsilon for each place on. Then that part
goes to times by place, and this one to times alone; otherwise all goes to places and to times."""

LEAST = Fraction(1, 100)
"""No question has less than this part of what lengths leave."""

NOTES = {
    "first times": "when sequences of each class of lengths begin, disjoint",
    "times": "when visits are, whatever their places",
    "gaps": "how long it is to the next visit, by how many are left and by the time of the day",
    "times by place": "when places are visited, the finer the more visits there are",
}

LENGTH_CLASSES, LEFT_CLASSES = 5, 4
"""Lengths of 1, 2 to 3, 4 to 7, 8 to 15 and more are told apart; and so are visits that are left, up to 8 and more."""

SUPPORT, GAP_SUPPORT = 2.0, 3.0
"""A place has as many blocks of time as leave each of them this many times the scale of its noise; and gaps so many bins."""

PARTS = (4, 8)
"""Into how many parts a day, or the whole grid if it is not longer, is divided for places that are not visited often."""

MOST_KERNELS = 2**24
"""A table of steps has at most so many entries: rows of gaps, times intervals, times intervals."""

BIAS, MOST_MEANS = 0.1, 4
"""How bad it is to count visits of long sequences for less than they are; and how many mean lengths may count in full."""

DOUBT = 1.5
"""How many scales of its noise a place loses before it is decided how finely its times are asked."""


def timed_shares(others: Shares, *, lengths: Lengths, symbols: int, intervals: int, epsilon: Fraction) -> Shares:
    """The parts of what lengths leave; `others` are asked without times too, the glance at single places among them."""
    error = lengths.mean / (2 * max(lengths.people * lengths.mean, 1.0) * float(epsilon))
    times = _hundredths(intervals * error / TIMES_TARGET, *TIMES)
    places = _hundredths(symbols * error / PLACES_TARGET, *PLACES)
    by_place = BY_PLACE[100 * places >= PLACES[1]]
    left = 1 - times - places - by_place
    rest = {name: share for name, share in others.items() if name != "glance"}
    whole = sum((share for share, _ in rest.values()), Fraction(0)) / (1 - FIRST_TIMES - GAPS)
    return {
        "glance": (places, others["glance"][1]),
        **{name: (left * share / whole, note) for name, (share, note) in rest.items()},
        "times": (times, NOTES["times"]),
        "times by place": (by_place, NOTES["times by place"]),
        "first times": (left * FIRST_TIMES, NOTES["first times"]),
        "gaps": (left * GAPS, NOTES["gaps"]),
    }


def single_timed_shares(*, people: float, symbols: int, intervals: int, epsilon: Fraction) -> Shares:
    """The parts for sequences of one visit, given about how many there are.

    The error of two independent tables is least if their shares are as the roots of their sizes.
    """
    note = "their symbols, disjoint"
    if people * float(epsilon) >= TOLD_APART * symbols:
        return {
            "symbols": (1 - BY_SINGLE_PLACE - SINGLE_TIMES, note),
            "times": (SINGLE_TIMES, NOTES["times"]),
            "times by place": (BY_SINGLE_PLACE, NOTES["times by place"]),
        }
    share = _hundredths(symbols**0.5 / (symbols**0.5 + intervals**0.5), 5, 95)
    return {"symbols": (share, note), "times": (1 - share, NOTES["times"])}


def _hundredths(share: float, least: int, most: int) -> Fraction:
    return Fraction(min(most, max(least, round(100 * min(share, 1.0)))), 100)


@dataclass(frozen=True, kw_only=True)
class TimeQuestions:
    """Everything that is asked about times. All parameters are public; `days` are possible lengths of a day in intervals."""

    symbols: int
    intervals: int
    max_length: int
    days: tuple[int, ...]
    lengths: Lengths
    by_place: bool
    """Whether it is asked when places are visited."""

    def asked(self, counts: TimeCounts, account: Asks, *, glance: Noisy) -> NoisyTimes:
        """Ask one question after the other, given noisy counts of single places."""
        times = self._visits(counts, account, "times", self._everywhere, self._most(account, "times", self.intervals))
        day = likely_day(times, self.days)
        return NoisyTimes(
            symbols=self.symbols,
            intervals=self.intervals,
            day=day,
            times=times,
            places=self._by_place(counts, account, glance, day) if self.by_place else None,
            first_times=self._first_times(counts, account) if self.max_length > 1 else None,
            gaps=self._gaps(counts, account, day) if self.max_length > 1 else None,
        )

    def weighed(self, noisy: NoisyTimes) -> Visits | None:
        """How often each place is visited, by what visits weigh where it was asked when they are."""
        if noisy.visits is None or noisy.places is None:
            return None
        counts, variances = noisy.visits
        cover = self._cover(noisy.places.most)
        return Visits(counts=counts * cover, variances=variances * cover**2, most=noisy.places.most)

    def _cover(self, most: int) -> float:
        """What a visit weighs on average, if those of one record weigh at most `most`."""
        middles = self.lengths.middles
        return self.lengths.mass(middles, middles, most) / max(float(self.lengths.counts @ middles), 1e-9)

    def _most(self, account: Asks, step: str, cells: int) -> int:
        """What visits of one record weigh at the most: the least sum of what is not counted, and of noise, as shares of all."""
        if self.max_length == 1:
            return 1
        noise = cells / (2 * float(account.planned(step).epsilon) * max(self.lengths.people * self.lengths.mean, 1.0))
        mosts = self.lengths.edges[: 1 + int(np.searchsorted(self.lengths.edges, MOST_MEANS * self.lengths.mean))]
        covers = [self._cover(most) for most in mosts.tolist()]
        losses = [
            BIAS * (1 - cover) + noise * most / max(cover, 1e-9) for most, cover in zip(mosts.tolist(), covers, strict=True)
        ]
        return int(mosts[int(np.argmin(losses))])

    @property
    def _everywhere(self) -> VisitCells:
        """Intervals, whatever the place is."""
        nowhere = np.zeros(self.symbols, dtype=np.int64)
        return VisitCells(
            first=nowhere, level=nowhere, blocks=np.arange(self.intervals, dtype=np.int64)[np.newaxis], cells=self.intervals
        )

    def _visits(self, counts: TimeCounts, account: Asks, step: str, cells: VisitCells, most: int) -> NoisyTable:
        truth = _dense(counts.visits(cells, most=most), cells.cells)
        table = _answered(account, step, truth, sensitivity=UNIT * most, unit=UNIT * self._cover(most))
        return replace(table, cells=cells, most=most)

    def _first_times(self, counts: TimeCounts, account: Asks) -> NoisyTable:
        """When sequences of each class of lengths begin."""
        class_of = _halvings(np.arange(self.max_length + 1), LENGTH_CLASSES)
        size = (int(class_of.max()) + 1) * self.intervals
        table = _answered(account, "first times", _dense(counts.beginnings(class_of, intervals=self.intervals), size))
        return NoisyTable(counts=table.counts.reshape(-1, self.intervals), scale=table.scale, class_of=class_of)

    def _gaps(self, counts: TimeCounts, account: Asks, day: int | None) -> NoisyGaps:
        """How long it is to the next visit."""
        most = max(1, self._most(account, "gaps", self.intervals) - 1)
        numbers = np.maximum(self.lengths.middles - 1, 0.0)
        mass = self.lengths.mass(numbers, numbers, most)
        cells = self._gap_cells(mass, most / float(account.planned("gaps").epsilon), day)
        truth = _dense(counts.gaps(cells, most=most), cells.shape[0] * cells.shape[1])
        table = _answered(account, "gaps", truth, sensitivity=UNIT * most, unit=UNIT)
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

    def _by_place(self, counts: TimeCounts, account: Asks, glance: Noisy, day: int | None) -> NoisyTable:
        """When places are visited; those that are rarely visited are only counted once more."""
        glanced = 1 if self.max_length == 1 else self._cover(self.lengths.cap - 1)
        popularity = np.maximum(glance.counts - DOUBT * glance.scale, 0.0) / glanced
        blocks = _resolutions(self.intervals, day)
        sizes = blocks.max(axis=1) + 1
        most = self._most(account, "times by place", self.symbols)
        scale = most / (self._cover(most) * float(account.planned("times by place").epsilon))
        level = np.searchsorted(sizes, popularity / (SUPPORT * scale), side="right") - 1
        cells = VisitCells.of(np.clip(level, 0, sizes.size - 1).astype(np.int64), blocks)
        return self._visits(counts, account, "times by place", cells, most)


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
