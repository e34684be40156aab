"""A taxonomy as a binary tree over places: every node is a range of places, and every inner node is one boundary between two."""

from __future__ import annotations

from functools import lru_cache

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

    def name(self, low: int, high: int) -> str:
        """What a range is called: as in the taxonomy, or, for a group of children in between, by the names of its members."""
        if (low, high) in self._names:
            return self._names[low, high]
        members = []
        while low < high:
            stop = max(end for begin, end in self._names if begin == low and end <= high)
            members.append(self._names[low, stop])
            low = stop
        return "{" + ", ".join(members) + "}"


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
