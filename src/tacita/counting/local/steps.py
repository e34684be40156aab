"""Counting symbols, steps, ends and shapes of sequences on NumPy columns; and, with times, beginnings, visits and gaps."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, distinct, offsets_of
from tacita.arrays.scatter import tally
from tacita.public.steps import (
    SHAPES,
    StepCodes,
    company_cell,
    record_weights,
    repeat_shares,
    root_weights,
    shape_cell,
    squares_of,
)
from tacita.public.time_grid import GapCells, VisitCells

__all__ = ["StepCounter", "TimeCounter"]


class StepCounter:
    """Sequences that are cut after `max_length` symbols; what comes after the cut counts nowhere, and empty ones nowhere."""

    def __init__(self, sequences: Ragged, *, max_length: int) -> None:
        """Cut, and leave out what is empty."""
        lists = cut_lists(sequences, max_length)
        there = np.append(True, lists.offsets[1:] > lists.offsets[:-1])
        self._lists = lists if there.all() else Ragged(lists.codes, lists.offsets[there])
        self._coded: tuple[StepCodes, Integers] | None = None

    def symbols(self, *, labels: int, most: int, squared: bool = False) -> tuple[Integers, Integers]:
        """The weight of each symbol."""
        return _weighed(np.asarray(self._lists.codes, dtype=np.int64), self._lists.lengths, labels, most=most, squared=squared)

    def steps(self, codes: StepCodes, *, most: int, squared: bool = False) -> tuple[Integers, Integers]:
        """The weight of each step: the code that it leaves, or the start, times (codes + 1), plus its next code, or the end."""
        cells = self._steps(self._codes(codes), codes.size)
        return _weighed(cells, self._lists.lengths + 1, (codes.size + 1) ** 2, most=most, squared=squared)

    def repeats(self, *, labels: int) -> tuple[Integers, Integers]:
        """Which share of pairs of symbols of a record are equal, and of its steps, in sum over all records."""
        symbols, parts = np.asarray(self._lists.codes, dtype=np.int64), self._lists.lengths
        steps = self._steps(symbols, labels)
        shares = [repeat_shares(squares_of(symbols, parts), parts), repeat_shares(squares_of(steps, parts + 1), parts + 1)]
        sums = np.array([int(each.sum()) for each in shares], dtype=np.int64)
        return np.flatnonzero(sums), sums[sums > 0]

    def _steps(self, coded: Integers, end: int) -> Integers:
        """The code that each step leaves times (`end` + 1), plus the one that it enters; a start and an end are `end`."""
        lists = self._lists
        cells = np.empty(coded.size + len(lists), dtype=np.int64)
        ends = lists.offsets[1:] + np.arange(len(lists))
        inside = np.ones(cells.size, dtype=np.bool_)
        inside[ends] = False
        cells[inside], cells[ends] = coded, end  # what is entered; after an end comes a start, and both are the last code
        cells[1:] += cells[:-1] * (end + 1)
        cells[:1] += end * (end + 1)
        return cells

    def ends(self, codes: StepCodes, *, together: bool) -> tuple[Integers, Integers]:
        """How many begin with one code and end with another, as one number; or begin with each, then end with each."""
        coded, lists = self._codes(codes), self._lists
        first, last = coded[lists.offsets[:-1]], coded[lists.offsets[1:] - 1]
        if together:
            return tally(first * codes.size + last, codes.size**2)
        return tally(np.concatenate([first, codes.size + last]), 2 * codes.size)

    def shapes(self, edges: Integers, *, labels: int) -> tuple[Integers, Integers]:
        """How many have each shape."""
        lists = self._lists
        different = distinct(lists, symbols=labels).lengths
        returns = lists.codes[lists.offsets[:-1]] == lists.codes[lists.offsets[1:] - 1]
        return tally(shape_cell(different, lists, returns, edges), SHAPES * edges.size)

    def company(self, members: Integers) -> tuple[Integers, Integers]:
        """How many have exactly which of these symbols."""
        return tally(company_cell(self._lists, members), 2**members.size)

    def _codes(self, codes: StepCodes) -> Integers:
        """The codes of all symbols, kept from one question to the next."""
        if self._coded is None or not np.array_equal(self._coded[0].kept, codes.kept):
            self._coded = codes, codes.coded(self._lists)
        return self._coded[1]


def _weighed(cells: Integers, parts: Integers, size: int, *, most: int, squared: bool) -> tuple[Integers, Integers]:
    """The weight of each cell; `parts` says how many of the cells belong to each record."""
    weights = root_weights(squares_of(cells, parts), most) if squared else record_weights(parts, most)
    return tally(cells, size, weights=np.repeat(weights, parts))


def cut_lists(lists: Ragged, longest: int) -> Ragged:
    """The first `longest` codes of each list."""
    lengths = lists.lengths
    if int(lengths.max(initial=0)) <= longest:
        return lists
    inside = np.arange(lists.codes.size) - np.repeat(lists.offsets[:-1], lengths) < longest
    return Ragged(lists.codes[inside], offsets_of(np.minimum(lengths, longest)))


# When sequences begin, when places are visited, and how long it is from one visit to the next.


class TimeCounter:
    """Sequences with times that are cut after `max_length` symbols; what comes after the cut counts nowhere."""

    def __init__(self, sequences: Ragged, *, labels: int, max_length: int) -> None:
        """Cut."""
        self._labels = labels
        self._lists = cut_lists(sequences, max_length)

    @cached_property
    def _intervals(self) -> Integers:
        return np.asarray(self._lists.codes // self._labels, dtype=np.int64)

    def beginnings(self, class_of: Integers, *, intervals: int) -> tuple[Integers, Integers]:
        """How many sequences of each class of lengths begin in each interval."""
        there = np.flatnonzero(self._lists.lengths)
        first = self._intervals[self._lists.offsets[there]]
        return tally(class_of[self._lists.lengths[there]] * intervals + first, (int(class_of.max()) + 1) * intervals)

    def visits(self, cells: VisitCells, *, most: int, squared: bool = False) -> tuple[Integers, Integers]:
        """The weight of all visits in each cell."""
        places = np.asarray(self._lists.codes % self._labels, dtype=np.int64)
        at = cells.at(places, self._intervals)
        return _weighed(at, self._lists.lengths, cells.cells, most=most, squared=squared)

    def repeats(self) -> tuple[Integers, Integers]:
        """Which share of pairs of visits of a record are in the same interval, in sum over all records."""
        parts = self._lists.lengths
        total = int(repeat_shares(squares_of(self._intervals, parts), parts).sum())
        return np.arange(int(total > 0)), np.full(int(total > 0), total)

    def gaps(self, cells: GapCells, *, most: int, squared: bool = False) -> tuple[Integers, Integers]:
        """The weight of all gaps in each cell."""
        ends = np.repeat(self._lists.offsets[1:], self._lists.lengths)
        left = ends - 1 - np.arange(self._lists.codes.size)
        going = np.flatnonzero(left > 0)
        since, until = self._intervals[going], self._intervals[going + 1]
        rows, bins = cells.shape
        parts = np.maximum(self._lists.lengths - 1, 0)
        return _weighed(cells.at(left[going], since, until - since), parts, rows * bins, most=most, squared=squared)
