"""Families of siblings in which consecutive members are put into groups, then the groups, until few are left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import offsets_of

__all__ = ["Families", "groups_needed"]


def groups_needed(sizes: Integers, fan_out: int, *, most: int) -> Integers:
    """How many groups it takes to bring families of these sizes down to `most`; one who is left alone gets no group.

    >>> groups_needed(np.array([2, 5, 6]), 2, most=1).tolist()
    [1, 4, 5]
    """
    needed = np.zeros_like(sizes)
    while np.any(large := sizes > most):
        whole, rest = sizes // fan_out, sizes % fan_out
        needed += np.where(large, whole + (rest > 1), 0)
        sizes = np.where(large, whole + (rest > 0), sizes)
    return needed


@dataclass(frozen=True, kw_only=True, eq=False)
class Families:
    """The members of each family, by family; `numbers` are those that the first group of each family gets."""

    members: Integers
    sizes: Integers
    numbers: Integers

    def grouped(self, fan_out: int, *, most: int, parents: Integers) -> Families:
        """The families once none has more than `most` members; `parents` is told the group that each member was put into.

        Groups are of `fan_out` consecutive members, the last one of those left over; one who is left alone stays as it is.
        """
        here = self
        while np.any(here.sizes > most):
            here = here._grouped_once(fan_out, most, parents)
        return here

    def _grouped_once(self, fan_out: int, most: int, parents: Integers) -> Families:
        family = np.repeat(np.arange(self.sizes.size), self.sizes)
        place = np.arange(self.members.size) - offsets_of(self.sizes)[family]
        large = (self.sizes > most)[family]
        heads = np.flatnonzero(~large | (place % fan_out == 0))
        lengths = np.diff(np.append(heads, self.members.size))
        is_group = lengths > 1
        numbers = np.where(is_group, self.numbers[family[heads]] + place[heads] // fan_out, self.members[heads])
        inside = np.repeat(is_group, lengths)
        parents[self.members[inside]] = np.repeat(numbers, lengths)[inside]
        sizes = np.bincount(family[heads], minlength=self.sizes.size)
        groups = np.bincount(family[heads[is_group]], minlength=self.sizes.size)
        return Families(members=numbers, sizes=sizes, numbers=self.numbers + groups)
