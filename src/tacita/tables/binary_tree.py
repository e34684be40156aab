"""A taxonomy as a binary tree over places: every node is a range of places, and every inner node is one boundary between two.

The labels get places in the order in which a walk through the tree meets them. In a binary tree with n leaves there are n - 1
inner nodes and n - 1 boundaries between neighbouring places, and each boundary belongs to the node whose two children it parts.
The least common ancestor of the places a to b is then the highest boundary between them, which a table of range maxima finds for
whole arrays at once. Nodes with more than two children get groups of consecutive children in between.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tacita.public.taxonomy import Taxonomy

__all__ = ["BinaryTree", "binary_tree"]

Integers = npt.NDArray[np.int64]


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
        self.label_at = _walk(narrow)
        self.place_of = np.empty(labels, dtype=np.int64)
        self.place_of[self.label_at] = np.arange(labels)
        begin, end = node_ranges(narrow, self.place_of)
        height = _heights(narrow)
        self._low, self._high, self._heights = np.zeros((3, max(labels - 1, 0)), dtype=np.int64)
        for node in range(labels, len(narrow.parents)):
            boundary = min(end[child] for child in narrow.children(node)) - 1
            self._low[boundary], self._high[boundary], self._heights[boundary] = begin[node], end[node], height[node]
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


def node_ranges(tree: Taxonomy, place_of: Integers) -> tuple[list[int], list[int]]:
    """For each node, the first of the places below it and the one after the last."""
    labels = len(tree.universe)
    begin = [*place_of.tolist(), *[labels] * len(tree.inner_names)]
    end = [*(place_of + 1).tolist(), *[0] * len(tree.inner_names)]
    for node in tree.from_below():
        above = tree.parents[node]
        if above >= 0:
            begin[above], end[above] = min(begin[above], begin[node]), max(end[above], end[node])
    return begin, end


def _walk(tree: Taxonomy) -> Integers:
    """The labels in the order in which a walk through the tree meets them; the child with the first label is first."""
    first = list(range(len(tree.parents)))
    for node in tree.from_below():
        first[node] = min((first[child] for child in tree.children(node)), default=node)
    order: list[int] = []
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node < len(tree.universe):
            order.append(node)
        waiting.extend(sorted(tree.children(node), key=first.__getitem__, reverse=True))
    return np.array(order, dtype=np.int64)


def _heights(tree: Taxonomy) -> list[int]:
    height = [0] * len(tree.parents)
    for node in tree.from_below():
        if tree.parents[node] >= 0:
            height[tree.parents[node]] = max(height[tree.parents[node]], height[node] + 1)
    return height


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
    begin, end = node_ranges(taxonomy, place_of)
    return {(begin[node], end[node]): taxonomy.name(node) for node in reversed(taxonomy.from_below())}
