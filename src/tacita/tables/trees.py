"""A taxonomy as a binary tree over places: every node is a range of places, and every inner node is one boundary between two."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.rooted import Rooted
from tacita.public.taxonomy import Taxonomy

__all__ = ["BinaryTree", "binary_tree", "node_ranges"]


# The labels get places in the order in which a walk through the tree meets them. In a binary tree with n leaves there are n - 1
# inner nodes and n - 1 boundaries between neighbouring places, and each boundary belongs to the node whose two children it
# parts. The least common ancestor of the places a to b is then the highest boundary between them, which a table of range maxima
# finds for whole arrays at once. Nodes with more than two children get groups of consecutive children in between.


class BinaryTree:
    """The places of the labels, and for each boundary (boundary i parts place i from place i + 1) the range of its node.

    >>> from tacita.public.universe import Universe
    >>> tree = BinaryTree(Taxonomy.flat(Universe("abcde")))
    >>> [part.tolist() for part in tree.spanned(np.array([0, 2]), np.array([1, 4]))]
    [[0, 0], [2, 5]]
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        """Walk the tree once."""
        narrow = taxonomy.narrowed(2)
        labels = len(taxonomy.universe)
        tree = narrow.tree
        walk = Rooted(tree.parents, rank=tree.minima(np.arange(len(tree))))  # the child with the first label is first
        self.label_at, (begin, end) = walk.leaf_order, walk.ranges
        self.place_of = begin[:labels]
        self._low, self._high, self._heights = np.zeros((3, max(labels - 1, 0)), dtype=np.int64)
        nodes = np.arange(labels, len(walk))
        boundaries = end[walk.children.codes[walk.children.offsets[nodes]]] - 1
        self._low[boundaries], self._high[boundaries], self._heights[boundaries] = begin[nodes], end[nodes], walk.heights[nodes]
        self._highest = _range_maxima(self._heights)
        self._names = _names(taxonomy, self.place_of)
        self._ranges = {name: places for places, name in self._names.items()}
        self._ends: dict[int, list[int]] = {}
        for low, high in sorted(self._names, reverse=True):
            self._ends.setdefault(low, []).append(high)

    @property
    def size(self) -> int:
        """The number of labels."""
        return int(self.label_at.size)

    def cuts(self, first: Integers, last: Integers) -> Integers:
        """For each range from place `first` to place `last`, both included and different, where its node is cut in two.

        Places below the cut belong to the node's first child.
        """
        depth = np.frexp((last - first).astype(np.float64))[1].astype(np.int64) - 1
        left = self._highest[depth, first]
        right = self._highest[depth, last - (np.int64(1) << depth)]
        return np.where(self._heights[left] >= self._heights[right], left, right) + 1

    def spanned(self, first: Integers, last: Integers) -> tuple[Integers, Integers]:
        """The range (its end not included) of the smallest node that holds each range of places (both ends included)."""
        low, high = first.astype(np.int64), last.astype(np.int64) + 1
        wide = first != last
        boundary = self.cuts(low[wide], high[wide] - 1) - 1
        low[wide], high[wide] = self._low[boundary], self._high[boundary]
        return low, high

    def name(self, places: Sequence[int]) -> str:
        """What increasing places are called together: as in the taxonomy, or by the names of the largest nodes that they fill."""
        members, rest = [], list(places)
        while rest:
            ends = self._ends[rest[0]]  # the largest node first; the place itself is one
            taken = next(end - rest[0] for end in ends if end - rest[0] <= len(rest) and rest[end - rest[0] - 1] == end - 1)
            members.append(self._names[rest[0], rest[0] + taken])
            rest = rest[taken:]
        return members[0] if len(members) == 1 else "{" + ", ".join(members) + "}"

    def named(self, name: str) -> list[int]:
        """The places that a name of this form stands for; a KeyError if it is none.

        >>> from tacita.public.universe import Universe
        >>> BinaryTree(Taxonomy.flat(Universe("abcde"))).named("{a, c}")
        [0, 2]
        """
        members = [name] if name in self._ranges or not self.can_list else name.removeprefix("{").removesuffix("}").split(", ")
        places = [place for member in members for place in range(*self._ranges[member])]
        if any(after <= before for before, after in pairwise(places)) or self.name(places) != name:
            raise KeyError(name)
        return places

    @cached_property
    def can_list(self) -> bool:
        """Whether a list of names can be read back, whatever it holds: no name looks like a list, or like two names."""
        return not any(", " in name or name.startswith("{") for name in self._names.values())


@lru_cache(maxsize=64)
def binary_tree(taxonomy: Taxonomy) -> BinaryTree:
    """The tree of a taxonomy, made once."""
    return BinaryTree(taxonomy)


def node_ranges(taxonomy: Taxonomy, place_of: Integers) -> tuple[Integers, Integers]:
    """For each node, the first of the places below it and the one after the last."""
    tree, (begin, end) = taxonomy.tree, taxonomy.tree.ranges
    first = tree.minima(np.append(place_of, np.full(len(taxonomy.inner_names), place_of.size)))
    return first, first + (end - begin)


def _range_maxima(heights: Integers) -> Integers:
    """Row d holds, for each place, the highest of the 2^d boundaries from it on."""
    rows = [np.arange(heights.size, dtype=np.int64)]
    width = 1
    while 2 * width <= heights.size:
        left, right = rows[-1], np.append(rows[-1][width:], np.zeros(width, dtype=np.int64))
        rows.append(np.where(heights[left] >= heights[right], left, right))
        width *= 2
    return np.stack(rows)


def _names(taxonomy: Taxonomy, place_of: Integers) -> dict[tuple[int, int], str]:
    """The names of all ranges that are nodes of the taxonomy; of nodes over the same labels, the lowest one names them."""
    ranges = list(zip(*(part.tolist() for part in node_ranges(taxonomy, place_of)), strict=True))
    return {ranges[node]: taxonomy.name(node) for node in reversed(taxonomy.from_below())}
