"""Counting when sequences begin, when places are visited, and how long it is from visit to visit, on NumPy columns."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.counting.local.itineraries import cut_lists
from tacita.counting.local.tally import tally
from tacita.public.letters import UNIT
from tacita.public.timetable import GapCells, VisitCells

__all__ = ["TimeCounter"]


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
