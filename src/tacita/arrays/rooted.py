"""Rooted trees as arrays: the parent of each node, what follows from it for all nodes, and large families put into groups.

Everything is computed for one level of the tree at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, chosen, offsets_of

__all__ = ["Families", "Rooted", "groups_needed"]


@dataclass(frozen=True, eq=False)
class Rooted:
    """A tree by the parent of each node, -1 for the root; siblings are in the order of their numbers, or of `rank`.

    >>> tree = Rooted(np.array([4, 3, 3, 4, -1]))  # 1 and 2 below 3, 0 and 3 below 4
    >>> tree.heights.tolist(), tree.depths.tolist(), tree.leaf_order.tolist()
    ([0, 0, 0, 1, 2], [1, 2, 2, 1, 0], [0, 1, 2])
    """

    parents: Integers
    rank: Integers | None = None

    def __len__(self) -> int:
        """The number of nodes."""
        return int(self.parents.size)

    @cached_property
    def children(self) -> Ragged:
        """The nodes right below each node."""
        order = np.argsort(self.parents, kind="stable") if self.rank is None else np.lexsort((self.rank, self.parents))
        below = order[np.searchsorted(self.parents[order], 0) :]
        return Ragged(below.astype(np.int64, copy=False), offsets_of(np.bincount(self.parents[below], minlength=len(self))))

    @cached_property
    def widths(self) -> Integers:
        """How many children each node has."""
        return self.children.lengths

    @cached_property
    def levels(self) -> tuple[Integers, ...]:
        """The nodes that can be reached from the root, by depth; the children of a node follow each other."""
        found, level = [], np.flatnonzero(self.parents < 0)
        while level.size:
            found.append(level)
            level = chosen(self.children, level).codes.astype(np.int64, copy=False)
        return tuple(found)

    @cached_property
    def depths(self) -> Integers:
        """How many steps each node is below the root."""
        found = np.zeros(len(self), dtype=np.int64)
        for depth, level in enumerate(self.levels):
            found[level] = depth
        return found

    @cached_property
    def heights(self) -> Integers:
        """How many steps the deepest leaf is below each node."""
        found = np.zeros(len(self), dtype=np.int64)
        for level in reversed(self.levels[1:]):
            np.maximum.at(found, self.parents[level], found[level] + 1)
        return found

    @cached_property
    def ranges(self) -> tuple[Integers, Integers]:
        """Where the leaves below each node begin and end in the order in which a walk through the tree meets them."""
        sizes = self.sums((self.widths == 0).astype(np.int64))
        begin = self._begins(sizes)
        return begin, begin + sizes

    @cached_property
    def leaf_order(self) -> Integers:
        """The leaves in the order in which a walk through the tree meets them."""
        leaves = np.flatnonzero(self.widths == 0)
        order = np.empty_like(leaves)
        order[self.ranges[0][leaves]] = leaves
        return order

    @cached_property
    def upward_order(self) -> Integers:
        """All nodes in the order in which a walk through the tree leaves them: each after those below it."""
        sizes = self.sums(np.ones(len(self), dtype=np.int64))
        order = np.empty(len(self), dtype=np.int64)
        order[self._begins(sizes) + sizes - 1] = np.arange(len(self))
        return order

    def sums(self, values: Integers) -> Integers:
        """The sum of these values over each node and all below it."""
        return self._gathered(np.add, values)

    def minima(self, values: Integers) -> Integers:
        """The least of these values at each node and all below it."""
        return self._gathered(np.minimum, values)

    def _gathered(self, ufunc: np.ufunc, values: Integers) -> Integers:
        found = values.copy()
        for level in reversed(self.levels[1:]):
            ufunc.at(found, self.parents[level], found[level])
        return found

    def _begins(self, sizes: Integers) -> Integers:
        """Where each node begins if it takes up this much, and its children follow each other from its own beginning."""
        begin = np.zeros(len(self), dtype=np.int64)
        for above, level in zip(self.levels, self.levels[1:], strict=False):
            before = offsets_of(sizes[level])
            firsts = offsets_of(self.widths[above])[:-1]
            begin[level] = np.repeat(begin[above] - before[firsts], self.widths[above]) + before[:-1]
        return begin

    @cached_property
    def past_only_children(self) -> Integers:
        """For each node, the first one from it down that does not have exactly one child."""
        found = np.arange(len(self))
        for level in reversed(self.levels):
            single = level[self.widths[level] == 1]
            found[single] = found[self.children.codes[self.children.offsets[single]]]
        return found


# Families of siblings: consecutive members are put into groups, then the groups, until few are left.


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
        """The families once none has more than `most` members; `parents` receives the group that each member was put into.

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
