"""Counting what sequences do, and when, on NumPy columns: shapes, letters and places; beginnings, visits and gaps.

Shapes and letters do not depend on what the places are called.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.arrays.recency import NEW, recencies
from tacita.arrays.scatter import tally
from tacita.counting.local.prefixes import GramCounter
from tacita.public.letters import UNIT, Alphabet, shape_cell, shape_cells
from tacita.public.time_grid import GapCells, VisitCells

__all__ = ["ItineraryCounter", "TimeCounter", "cut_lists"]


class ItineraryCounter:
    """Sequences that are cut after `max_length` symbols; whether something was cut off is known, what is not."""

    def __init__(self, sequences: Ragged, *, max_length: int) -> None:
        """Look at one symbol past the longest length at the most, to know a cut."""
        self._max_length = max_length
        self._lists = cut_lists(sequences, max_length + 1)
        self._lengths = np.minimum(self._lists.lengths, max_length)
        self._letters: dict[Alphabet, GramCounter] = {}
        self._places: dict[int, GramCounter] = {}

    @cached_property
    def _found(self) -> Integers:
        return recencies(self._lists)

    def shapes(self) -> tuple[Integers, Integers]:
        """How many sequences that are not cut have which shape."""
        lists = self._lists
        whole = np.flatnonzero((lists.lengths > 0) & (lists.lengths <= self._max_length))
        new = offsets_of((self._found == NEW).astype(np.int64))
        begins, ends = lists.offsets[whole], lists.offsets[whole + 1]
        cells = shape_cell(
            lists.lengths[whole],
            new[ends] - new[begins],
            lists.codes[begins] == lists.codes[ends - 1],
            max_length=self._max_length,
        )
        return tally(cells, shape_cells(self._max_length))

    def letters(self, alphabet: Alphabet, *, most: int | None) -> GramCounter:
        """A counter of grams of letters."""
        if alphabet not in self._letters:
            lists = Ragged(alphabet.letters(self._lists, self._found).astype(np.int32), self._lists.offsets)
            self._letters[alphabet] = self._grams(lists, len(alphabet))
        return self._weighing(self._letters[alphabet], most)

    def places(self, *, symbols: int, most: int | None) -> GramCounter:
        """A counter of grams of places."""
        if symbols not in self._places:
            self._places[symbols] = self._grams(self._lists, symbols)
        return self._weighing(self._places[symbols], most)

    def _grams(self, lists: Ragged, symbols: int) -> GramCounter:
        return GramCounter(lists, symbols=symbols, max_length=self._max_length, cut=symbols + 1)

    def _weighing(self, counter: GramCounter, most: int | None) -> GramCounter:
        """A counter that can be followed without a change of the one that is kept."""
        if most is None:
            return copy(counter)
        return counter.weighing(np.minimum(UNIT, UNIT * most // np.maximum(self._lengths, 1)))


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

    @cached_property
    def _lengths(self) -> Integers:
        """The length of the sequence of each visit."""
        return np.repeat(self._lists.lengths, self._lists.lengths)

    def beginnings(self, class_of: Integers, *, intervals: int) -> tuple[Integers, Integers]:
        """How many sequences of each class of lengths begin in each interval."""
        there = np.flatnonzero(self._lists.lengths)
        first = self._intervals[self._lists.offsets[there]]
        return tally(class_of[self._lists.lengths[there]] * intervals + first, (int(class_of.max()) + 1) * intervals)

    def visits(self, cells: VisitCells, *, most: int | None) -> tuple[Integers, Integers]:
        """The weight of all visits in each cell."""
        places = np.asarray(self._lists.codes % self._labels, dtype=np.int64)
        return tally(cells.at(places, self._intervals), cells.cells, weights=_weights(self._lengths, most))

    def gaps(self, cells: GapCells, *, most: int | None) -> tuple[Integers, Integers]:
        """The weight of all gaps in each cell."""
        ends = np.repeat(self._lists.offsets[1:], self._lists.lengths)
        left = ends - 1 - np.arange(self._lists.codes.size)
        going = np.flatnonzero(left > 0)
        since, until = self._intervals[going], self._intervals[going + 1]
        rows, bins = cells.shape
        weights = _weights(self._lengths[going] - 1, most)
        return tally(cells.at(left[going], since, until - since), rows * bins, weights=weights)


def _weights(numbers: Integers, most: int | None) -> Integers | None:
    """What each of so many weighs, if they may weigh `most` together; each 1 if nothing is said."""
    return None if most is None else np.minimum(UNIT, UNIT * most // np.maximum(numbers, 1))
