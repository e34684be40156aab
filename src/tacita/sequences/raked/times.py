"""What raked sequences ask about times, why one record cannot change it much, and what of the budget it costs. This is the wall.

Every question is about sequences that are cut after `max_length` visits, which is a map of one record. Adding or removing one
record x of l <= max_length visits changes

- *first times*: one cell by 1, because x has one length and begins once. Sensitivity 1.
- *times* and *times by place*: each of its l visits is in one cell and counts w = min(UNIT, floor(UNIT * m / l)) there. All of
  them together are l * w <= UNIT * m, whatever the cells are: places and blocks of intervals may be joined or divided as noisy
  answers suggest, since every visit is still in exactly one cell. Sensitivity UNIT * m.
- *gaps*: each of its l - 1 gaps is in one cell and counts min(UNIT, floor(UNIT * m / (l - 1))); in the same way, UNIT * m in all.

For a rho, visits and gaps weigh what symbols and steps do (`questions`): w = min(V, floor(root of floor(V^2 M / S))) with V =
ROOT_UNIT and S = sum of m_c^2 over the cells of x, so V^2 M in the sense of squares, whatever the cells are. *Repeats in time*,
which is asked for a rho alone, adds floor(V (S - l) / (l (l - 1))) <= V to one number, S being that of intervals.

m or M, cells and how finely a place is divided by time are decided by noisy answers and public parameters alone, and so are the
shares. They follow from the noise: the error of a noisy table, as a share of all visits, is about its number of cells times the
scale of its noise, over twice the visits. Times and single places get what brings that error down to a target, up to a bound; so
they are never much worse than if nothing else had been asked. What is left goes to steps, ends, shapes, company and gaps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

import numpy as np

from tacita.arrays import Integers
from tacita.counting import TimeCounts
from tacita.privacy.funds import Funds
from tacita.privacy.questions import Asks
from tacita.public.steps import ROOT_UNIT
from tacita.public.time_grid import GapCells, VisitCells, evenly_divided, gap_bins
from tacita.sequences.raked.questions import REPEATS, Shares, asked, with_repeats
from tacita.sequences.raked.synthesis import Cap, Lengths, Noisy, Visits
from tacita.sequences.raked.synthesis.timing import NoisyGaps, NoisyTable, NoisyTimes, likely_day

__all__ = ["LEAST", "TIME_REPEATS", "TimeQuestions", "single_timed_shares", "timed_shares"]

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

TIME_REPEATS: Shares = {"repeats in time": (Fraction(1, 100), "how often visits of a sequence are in the same interval")}
"""What is asked beside these for a rho."""

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


def timed_shares(others: Shares, *, lengths: Lengths, symbols: int, intervals: int, funds: Funds) -> Shares:
    """The parts of what lengths leave; `others` are asked without times too, the glance at single places among them."""
    error = lengths.mean / (2 * max(lengths.people * lengths.mean, 1.0) * funds.worth(lengths.mean))
    times = _hundredths(intervals * error / TIMES_TARGET, *TIMES)
    places = _hundredths(symbols * error / PLACES_TARGET, *PLACES)
    by_place = BY_PLACE[100 * places >= PLACES[1]]
    left = 1 - times - places - by_place
    rest = {name: share for name, share in others.items() if name != "glance"}
    whole = sum((share for share, _ in rest.values()), Fraction(0)) / (1 - FIRST_TIMES - GAPS)
    shares = {
        "glance": (places, others["glance"][1]),
        **{name: (left * share / whole, note) for name, (share, note) in rest.items()},
        "times": (times, NOTES["times"]),
        "times by place": (by_place, NOTES["times by place"]),
        "first times": (left * FIRST_TIMES, NOTES["first times"]),
        "gaps": (left * GAPS, NOTES["gaps"]),
    }
    return with_repeats(shares, REPEATS | TIME_REPEATS) if funds.in_rho else shares


def single_timed_shares(*, people: float, symbols: int, intervals: int, funds: Funds) -> Shares:
    """The parts for sequences of one visit, given about how many there are.

    The error of two independent tables is least if their shares are as the roots of their sizes.
    """
    note = "their symbols, disjoint"
    if people * funds.worth() >= TOLD_APART * symbols:
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
    """Everything that is asked about times. All parameters are public or noisy; `days` are possible lengths of a day."""

    symbols: int
    intervals: int
    max_length: int
    days: tuple[int, ...]
    lengths: Lengths
    by_place: bool
    """Whether it is asked when places are visited."""
    in_time: float | None = None
    """Which share of pairs of visits of a sequence are in the same interval, if weights are capped in the sense of squares."""

    def asked(self, counts: TimeCounts, account: Asks, *, glance: Noisy) -> NoisyTimes:
        """Ask one question after the other, given noisy counts of single places."""
        if self.lengths.repeats is not None and self.in_time is None:
            return replace(self, in_time=self._repeats(counts, account)).asked(counts, account, glance=glance)
        cap = self._cap(account, "times", self._most(account, "times", self.intervals))
        times = self._visits(counts, account, "times", self._everywhere, cap)
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
        cover = self._cover(noisy.places.cap)
        return Visits(counts=counts * cover, variances=variances * cover**2, cap=noisy.places.cap)

    def _repeats(self, counts: TimeCounts, account: Asks) -> float:
        """How often visits of a sequence are in the same interval; as `StepQuestions` asks it of symbols."""
        noisy = asked(account, "repeats in time", counts.repeats(), cells=1, changes=(ROOT_UNIT, ROOT_UNIT**2), unit=ROOT_UNIT)
        people = max(float(self.lengths.counts[self.lengths.edges > 1].sum()), 1.0)
        return float(np.clip((noisy.counts[0] - sqrt(noisy.variance)) / people, 0.0, 1.0))

    def _cover(self, cap: Cap) -> float:
        """What a visit weighs on average, if those of one record may weigh so much."""
        middles = self.lengths.middles
        return self.lengths.mass(middles, middles, cap) / max(float(self.lengths.counts @ middles), 1e-9)

    def _most(self, account: Asks, step: str, cells: int) -> int:
        """How many visits of one record count in full: the least sum of what is not counted, and of noise, as shares of all."""
        if self.max_length == 1:
            return 1
        worth = Funds.of_step(account.planned(step)).worth()
        noise = cells / (2 * worth * max(self.lengths.people * self.lengths.mean, 1.0))
        mosts = self.lengths.edges[: 1 + int(np.searchsorted(self.lengths.edges, MOST_MEANS * self.lengths.mean))]
        caps = [self._cap(account, step, most) for most in mosts.tolist()]
        covers = [self._cover(cap) for cap in caps]
        losses = [BIAS * (1 - cover) + noise * cap.bound / max(cover, 1e-9) for cap, cover in zip(caps, covers, strict=True)]
        return int(mosts[int(np.argmin(losses))])

    def _cap(self, account: Asks, step: str, most: int) -> Cap:
        """What visits of one record may weigh: what so many weigh, if as many of them are in the same cell as of others.

        Places are at least as often the same as places with times.
        """
        if self.max_length == 1:
            return Cap(most=1, squared=account.planned(step).rho > 0)
        repeats = self.lengths.repeats
        return self.lengths.capped(
            most, None if repeats is None else repeats.symbols if step == "times by place" else self.in_time
        )

    @property
    def _everywhere(self) -> VisitCells:
        """Intervals, whatever the place is."""
        nowhere = np.zeros(self.symbols, dtype=np.int64)
        return VisitCells(
            first=nowhere, level=nowhere, blocks=np.arange(self.intervals, dtype=np.int64)[np.newaxis], cells=self.intervals
        )

    def _visits(self, counts: TimeCounts, account: Asks, step: str, cells: VisitCells, cap: Cap) -> NoisyTable:
        truth = counts.visits(cells, most=cap.most, squared=cap.squared)
        unit = cap.unit * self._cover(cap)
        noisy = asked(account, step, truth, cells=cells.cells, changes=cap.changes(self.max_length), unit=unit)
        return replace(_table(noisy), cells=cells, cap=cap)

    def _first_times(self, counts: TimeCounts, account: Asks) -> NoisyTable:
        """When sequences of each class of lengths begin."""
        class_of = _halvings(np.arange(self.max_length + 1), LENGTH_CLASSES)
        size = (int(class_of.max()) + 1) * self.intervals
        table = _table(asked(account, "first times", counts.beginnings(class_of, intervals=self.intervals), cells=size))
        return replace(table, counts=table.counts.reshape(-1, self.intervals), class_of=class_of)

    def _gaps(self, counts: TimeCounts, account: Asks, day: int | None) -> NoisyGaps:
        """How long it is to the next visit."""
        cap = self._cap(account, "gaps", max(1, self._most(account, "gaps", self.intervals) - 1))
        numbers = np.maximum(self.lengths.middles - 1, 0.0)
        mass = self.lengths.mass(numbers, numbers, cap)
        cells = self._gap_cells(mass, cap.bound / Funds.of_step(account.planned("gaps")).worth(), day)
        truth = counts.gaps(cells, most=cap.most, squared=cap.squared)
        size = cells.shape[0] * cells.shape[1]
        noisy = asked(account, "gaps", truth, cells=size, changes=cap.changes(self.max_length), unit=cap.unit)
        return NoisyGaps(cells=cells, counts=noisy.counts.reshape(cells.shape), scale=noisy.scale)

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
        glanced = 1 if self.max_length == 1 else self._cover(self.lengths.symbol_cap)
        popularity = np.maximum(glance.counts - DOUBT * glance.scale, 0.0) / glanced
        blocks = _resolutions(self.intervals, day)
        sizes = blocks.max(axis=1) + 1
        cap = self._cap(account, "times by place", self._most(account, "times by place", self.symbols))
        scale = cap.bound / (self._cover(cap) * Funds.of_step(account.planned("times by place")).worth())
        level = np.searchsorted(sizes, popularity / (SUPPORT * scale), side="right") - 1
        cells = VisitCells.of(np.clip(level, 0, sizes.size - 1).astype(np.int64), blocks)
        return self._visits(counts, account, "times by place", cells, cap)


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


def _table(noisy: Noisy) -> NoisyTable:
    """The same answer, of visits."""
    return NoisyTable(counts=noisy.counts, scale=noisy.scale)
