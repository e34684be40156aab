"""How long ago each code of a list was there before, counted in different codes: the move-to-front rewriting.

A list is rewritten code by code as *new*, or as *back to the code seen j different codes ago* (j = 0 repeats the last one). The
rewriting looks at one list at a time and loses nothing once the new codes are known, so it can be undone.

Reference: Bentley, Sleator, Tarjan and Wei, A locally adaptive data compression scheme, CACM 1986.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers, Places
from tacita.arrays.ragged import Ragged

__all__ = ["NEW", "Recent", "recencies", "restored"]


NEW = -1
"""The recency of a code that was not there before."""

FEW = 32
"""So few lists are faster one by one than side by side; lists that go on when nearly all others have ended are not rare."""


@dataclass
class Recent:
    """The different codes of many lists that grow together: one column per list, the latest code first, -1 where there is none.

    >>> recent = Recent.of(1)
    >>> for code in (7, 8, 7):
    ...     recent.visit(np.array([code]), recent.find(np.array([code])))
    >>> recent.codes.tolist(), recent.sizes.tolist()
    ([[7], [8]], [2])
    """

    codes: Numbers
    sizes: Integers = field(repr=False)

    @classmethod
    def of(cls, lists: int) -> Recent:
        """That many lists with nothing in them."""
        return cls(np.full((0, lists), -1, dtype=np.int32), np.zeros(lists, dtype=np.int64))

    def only(self, which: Places | Booleans) -> Recent:
        """Some of the lists."""
        return Recent(self.codes[: int(self.sizes[which].max(initial=0)), which], self.sizes[which])

    def find(self, codes: AnyIntegers) -> Integers:
        """How many different codes ago each list had this code; `NEW` where it had not."""
        found = np.full(codes.size, NEW, dtype=np.int64)
        for place in range(self.codes.shape[0] - 1, -1, -1):
            np.putmask(found, self.codes[place] == codes, place)
        return found

    def visit(self, codes: AnyIntegers, found: Integers) -> None:
        """Put a code in front of each list; `found` says where it stands now."""
        back = np.where(found == NEW, self.sizes, found)
        deepest = int(back.max(initial=0))
        if deepest >= self.codes.shape[0]:
            more = np.full((max(1, self.codes.shape[0] // 2), self.sizes.size), -1, dtype=np.int32)
            self.codes = np.concatenate([self.codes, more])
        for place in range(deepest, 0, -1):
            np.copyto(self.codes[place], self.codes[place - 1], where=back >= place)
        self.codes[0] = codes
        self.sizes = self.sizes + (found == NEW)


def recencies(lists: Ragged) -> Integers:
    """For each code of each list, in one row: how many different codes ago it was there, `NEW` if it was not.

    >>> recencies(Ragged.from_lists([[5, 5, 6, 5, 7, 6], [5]])).tolist()
    [-1, 0, -1, 1, -1, 2, -1]
    """
    found = np.empty(lists.codes.size, dtype=np.int64)
    lengths = lists.lengths
    rows = np.flatnonzero(lengths > 0)
    recent = Recent.of(rows.size)
    for place in range(int(lengths.max(initial=0))):
        going = np.flatnonzero(lengths[rows] > place)
        if going.size < rows.size:
            rows, recent = rows[going], recent.only(going)
        if rows.size <= FEW:
            for column, row in enumerate(rows.tolist()):
                rest = slice(int(lists.offsets[row]) + place, int(lists.offsets[row + 1]))
                found[rest] = _one_by_one(lists.codes[rest].tolist(), recent.codes[: int(recent.sizes[column]), column].tolist())
            break
        here = lists.offsets[rows] + place
        codes = lists.codes[here]
        back = recent.find(codes)
        recent.visit(codes, back)
        found[here] = back
    return found


def _one_by_one(codes: list[int], latest: list[int]) -> list[int]:
    """The recencies of further codes of one list, given its different codes up to now, the latest first."""
    found = []
    for code in codes:
        place = latest.index(code) if code in latest else NEW
        if place != NEW:
            del latest[place]
        latest.insert(0, code)
        found.append(place)
    return found


def restored(found: Integers, new: AnyIntegers, offsets: Integers) -> Ragged:
    """The lists with these recencies, whose new codes are given in the order of the lists.

    >>> lists = Ragged.from_lists([[5, 5, 6, 5, 7, 6], [5]])
    >>> found = recencies(lists)
    >>> restored(found, lists.codes[found == NEW], lists.offsets).to_lists()
    [[5, 5, 6, 5, 7, 6], [5]]
    """
    codes = np.empty(found.size, dtype=np.int32)
    codes[found == NEW] = new
    lengths = np.diff(offsets)
    rows = np.flatnonzero(lengths > 0)
    recent = Recent.of(rows.size)
    for place in range(int(lengths.max(initial=0))):
        going = np.flatnonzero(lengths[rows] > place)
        if going.size < rows.size:
            rows, recent = rows[going], recent.only(going)
        here = offsets[rows] + place
        back = found[here]
        again = np.flatnonzero(back != NEW)
        codes[here[again]] = recent.codes[back[again], again]
        recent.visit(codes[here], back)
    return Ragged(codes, offsets)
