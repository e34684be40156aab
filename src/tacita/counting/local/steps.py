"""Counting symbols, steps, ends and shapes of sequences on NumPy columns."""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, distinct
from tacita.arrays.scatter import tally
from tacita.counting.local.itineraries import cut_lists
from tacita.public.steps import SHAPES, StepCodes, company_cell, record_weights, shape_cell

__all__ = ["StepCounter"]


class StepCounter:
    """Sequences that are cut after `max_length` symbols; what comes after the cut counts nowhere, and empty ones nowhere."""

    def __init__(self, sequences: Ragged, *, max_length: int) -> None:
        """Cut, and leave out what is empty."""
        lists = cut_lists(sequences, max_length)
        there = np.append(True, lists.offsets[1:] > lists.offsets[:-1])
        self._lists = lists if there.all() else Ragged(lists.codes, lists.offsets[there])
        self._coded: tuple[StepCodes, Integers] | None = None

    def symbols(self, *, labels: int, most: int) -> tuple[Integers, Integers]:
        """The weight of each symbol."""
        lengths = self._lists.lengths
        weights = np.repeat(record_weights(lengths, most), lengths)
        return tally(np.asarray(self._lists.codes, dtype=np.int64), labels, weights=weights)

    def steps(self, codes: StepCodes, *, most: int) -> tuple[Integers, Integers]:
        """The weight of each step: the code that it leaves, or the start, times (codes + 1), plus its next code, or the end."""
        coded, lists, width = self._codes(codes), self._lists, codes.size + 1
        weights = record_weights(lists.lengths + 1, most)
        cells, whole = np.empty(coded.size + len(lists), dtype=np.int64), lists.lengths + 1
        ends = lists.offsets[1:] + np.arange(len(lists))
        inside = np.ones(cells.size, dtype=np.bool_)
        inside[ends] = False
        cells[inside], cells[ends] = coded, codes.size  # what is entered; after an end comes a start, and both are the last code
        cells[1:] += cells[:-1] * width
        cells[:1] += codes.size * width
        return tally(cells, width * width, weights=np.repeat(weights, whole))

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
