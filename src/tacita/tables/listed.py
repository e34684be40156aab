"""Lists of values that groups of rows show of a category, where a range would hold values that nobody in the group has."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.arrays.ragged import Ragged, chosen, numbered, offsets_of

__all__ = ["Listed"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Listed:
    """Which places of a column each group may have: those of list `of[g]` of the different `lists`, each in increasing order.

    Lists are in the order of their places, so a number of a list tells nothing about the file.

    >>> shown = Listed.of_rows(np.array([0, 0, 1, 2, 2]), np.array([1, 3, 0, 3, 1]), groups=3, size=4)
    >>> shown.lists.to_lists(), shown.of.tolist(), shown.within(2, 4).tolist()
    ([[0], [1, 3]], [1, 0, 1], [1, 0, 1])
    """

    lists: Ragged = field(repr=False)
    of: Integers = field(repr=False)

    @classmethod
    def of_rows(cls, group_of: Integers, codes: Integers, *, groups: int, size: int) -> Listed:
        """What occurs in each group; no group is empty."""
        pairs = np.unique(group_of.astype(np.int64) * size + codes)
        return cls.of_groups(Ragged(pairs % size, offsets_of(np.bincount(pairs // size, minlength=groups))))

    @classmethod
    def of_groups(cls, each: Ragged) -> Listed:
        """A list for each group."""
        firsts, number = numbered(each)
        return cls(lists=chosen(each, firsts), of=number)

    def at(self, groups: Integers) -> Listed:
        """The same for some of the groups."""
        return Listed(lists=self.lists, of=self.of[groups])

    @property
    def sizes(self) -> Integers:
        """How many values each group may have."""
        return self.lists.lengths[self.of]

    @property
    def ends(self) -> tuple[Integers, Integers]:
        """The first place of each group's list, and the one after its last."""
        codes, offsets = self.lists.codes.astype(np.int64), self.lists.offsets
        return codes[offsets[:-1]][self.of], codes[offsets[1:] - 1][self.of] + 1

    def within(self, low: int, high: int) -> Integers:
        """How many of them are at the places from `low` up to `high`, which is not included."""
        inside = offsets_of(((self.lists.codes >= low) & (self.lists.codes < high)).astype(np.int64))
        return np.asarray(np.diff(inside[self.lists.offsets])[self.of], dtype=np.int64)

    def holds(self, places: Integers) -> Booleans:
        """For each of some increasing places and each group, whether the group may have it."""
        owner = np.repeat(np.arange(len(self.lists)), self.lists.lengths)
        where = np.minimum(np.searchsorted(places, self.lists.codes), places.size - 1)
        is_asked = places[where] == self.lists.codes
        found = np.zeros((places.size, len(self.lists)), dtype=np.bool_)
        found[where[is_asked], owner[is_asked]] = True
        return found[:, self.of]
