"""The small alphabet in which a sequence is rewritten: what a step does, whatever the places are called.

A step goes to a place that is *new* in this sequence, to the *first* one, *stays* (at the first place, or elsewhere), goes back
to the place before the last one (or the one before that, up to `recent` different places ago), or goes back *further*. This
rewriting is a map of one record, so it costs nothing; with the places of new steps, and of those that go further back, it can
be undone.

Some letters cannot follow others: who is at the first place can only stay there or leave it. These zeros are known without data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.arrays.ragged import Ragged
from tacita.arrays.recency import NEW, recencies

__all__ = ["UNIT", "Alphabet", "shape_cell", "shape_cells"]


UNIT = 256
"""Weights of records are whole numbers of 1 / UNIT: noise is added to integers alone."""


@dataclass(frozen=True, kw_only=True)
class Alphabet:
    """Letters by number: 0 new, 1 first (where the sequence began), 2 stays there, 3 stays elsewhere, 4 back by one place, ...

    The last letter goes further back than `recent` different places. A sequence begins with the letter 1.

    >>> Alphabet(recent=3).rewritten(Ragged.from_lists([[5, 6, 6, 7, 6, 5, 5, 8, 7, 6]])).tolist()
    [1, 0, 3, 0, 4, 1, 2, 0, 6, 6]
    """

    recent: int

    NEW: ClassVar[int] = 0
    FIRST: ClassVar[int] = 1
    STAYS_FIRST: ClassVar[int] = 2
    STAYS: ClassVar[int] = 3

    def __len__(self) -> int:
        """The number of letters."""
        return self.recent + 4

    @property
    def far(self) -> int:
        """The letter of a step back to a place that is not recent."""
        return self.recent + 3

    def of(self, found: Integers, is_first: Booleans) -> Integers:
        """The letters of steps that go back that many different places, some of them to where their sequence began."""
        letters = np.where(found >= self.recent, self.far, found + 3)
        letters[found == NEW] = self.NEW
        letters[is_first] = np.where(found[is_first] == 0, self.STAYS_FIRST, self.FIRST)
        return letters

    def possible(self) -> Booleans:
        """Which letter may come after which; the last row is the beginning of a sequence, the last column its end."""
        table = np.ones((len(self) + 1, len(self) + 1), dtype=np.bool_)
        table[[self.FIRST, self.STAYS_FIRST], self.FIRST] = False
        table[[self.FIRST, self.STAYS_FIRST], self.STAYS] = False
        table[self.NEW, self.STAYS_FIRST] = False
        table[self.STAYS :, self.STAYS_FIRST] = False
        table[-1] = np.arange(len(self) + 1) == self.FIRST
        return table

    def letters(self, lists: Ragged, found: Integers) -> Integers:
        """The letters of all sequences in a row, whose recencies are known."""
        begins = lists.offsets[:-1][lists.lengths > 0]
        first = np.repeat(lists.codes[begins], lists.lengths[lists.lengths > 0])
        return self.of(found, lists.codes == first)

    def rewritten(self, lists: Ragged) -> Integers:
        """The letters of all sequences in a row."""
        return self.letters(lists, recencies(lists))


def shape_cells(max_length: int) -> int:
    """How many shapes sequences of up to `max_length` symbols are told apart by."""
    return (max_length + 1) * (max_length + 1) * 2


def shape_cell(lengths: Integers, different: Integers, is_round: Booleans, *, max_length: int) -> Integers:
    """The number of the shape: a length, a number of different places, and whether the sequence ends where it began."""
    return np.asarray((lengths * (max_length + 1) + different) * 2 + is_round, dtype=np.int64)
