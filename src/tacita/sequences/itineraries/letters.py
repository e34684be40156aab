"""The small alphabet in which a sequence is rewritten: what a step does, whatever the places are called.

A step goes to a place that is *new* in this sequence, *stays*, goes back to the place where the sequence *began*, goes back to
the place before the last one (or the one before that, and so on up to `recent` different places ago), or goes back *further*.
The rewriting is a map of one record, so it costs nothing; with the places of new steps and of those that go further back it can
be undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged
from tacita.arrays.recency import NEW, recencies

__all__ = ["Alphabet"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Alphabet:
    """Letters by number: 0 new, 1 first (where the sequence began), 2 stays there, 3 stays elsewhere, 4 back to one place ago, ...

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

    def of(self, found: Integers, is_first: npt.NDArray[np.bool_]) -> Integers:
        """The letters of steps that go back so many different places, some of them to where their sequence began."""
        letters = np.where(found >= self.recent, self.far, found + 3)
        letters[found == NEW] = self.NEW
        letters[is_first] = np.where(found[is_first] == 0, self.STAYS_FIRST, self.FIRST)
        return letters

    def rewritten(self, lists: Ragged) -> Integers:
        """The letters of all sequences in a row."""
        begins = lists.offsets[:-1][lists.lengths > 0]
        first = np.repeat(lists.codes[begins], lists.lengths[lists.lengths > 0])
        return self.of(recencies(lists), lists.codes == first)
