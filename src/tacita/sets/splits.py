"""The order in which partitions of baskets are split along a taxonomy, and what each split asks. All of it is public.

A partition stands for the baskets that have items below each node of its cut, and nowhere else. It is split at the inner node of
its cut that has the largest height and, among those, comes first in the universe's order. A node is always higher than what lies
below it, so all partitions of a run split at the inner nodes of the taxonomy in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from tacita.arrays.rooted import Rooted
from tacita.public.taxonomy import Taxonomy

__all__ = ["Split", "SplitOrder", "Splits"]


@dataclass(frozen=True, kw_only=True)
class Split:
    """A split at one inner node: its children, labels first, each with the range of positions of the items below it.

    A mask says in which children a basket has items, bit i for child i; so masks below 2 ** `labels` contain labels only.
    """

    node: int
    height: int
    children: tuple[tuple[int, int], ...]
    labels: tuple[int, ...]
    inner: tuple[int, ...]
    """The inner children, by their position in the order of splits."""
    below: tuple[int, ...]
    """For each child, the number of inner nodes at and below it."""

    @property
    def masks(self) -> int:
        """The number of masks, including the empty one, which no basket can have."""
        return 1 << len(self.children)

    @property
    def label_masks(self) -> int:
        """The first mask that contains an inner child."""
        return 1 << len(self.labels)


class Splits(Sequence[Split]):
    """All splits of a taxonomy in their order; each is made when it is asked for, because a large universe has very many."""

    def __init__(self, tree: Rooted, labels: int) -> None:
        """Put the inner nodes, which come after the labels, into their order."""
        self._tree, self._labels = tree, labels
        self._inner = tree.sums((np.arange(len(tree)) >= labels).astype(np.int64))
        first = tree.minima(np.where(np.arange(len(tree)) < labels, np.arange(len(tree)), labels))
        self._nodes = labels + np.lexsort((first[labels:], -tree.heights[labels:]))
        self._turns = np.empty_like(self._nodes)
        self._turns[self._nodes - labels] = np.arange(self._nodes.size)

    def __len__(self) -> int:
        """The number of inner nodes."""
        return int(self._nodes.size)

    @overload
    def __getitem__(self, turn: int) -> Split: ...

    @overload
    def __getitem__(self, turn: slice) -> tuple[Split, ...]: ...

    def __getitem__(self, turn: int | slice) -> Split | tuple[Split, ...]:
        """The split at this place of the order, or several of them."""
        if isinstance(turn, slice):
            return tuple(self[place] for place in range(*turn.indices(len(self))))
        node, below, (begin, end) = int(self._nodes[turn]), self._tree.children, self._tree.ranges
        children = below.codes[below.offsets[node] : below.offsets[node + 1]]  # labels have the lowest numbers
        labels = int(np.searchsorted(children, self._labels))
        return Split(
            node=node,
            height=int(self._tree.heights[node]),
            children=tuple(zip(begin[children].tolist(), end[children].tolist(), strict=True)),
            labels=tuple(children[:labels].tolist()),
            inner=tuple(self._turns[children[labels:] - self._labels].tolist()),
            below=tuple(self._inner[children].tolist()),
        )

    def of_each_shape(self) -> tuple[Split, ...]:
        """One split for each height with that many labels and other children: what costs and thresholds depend on."""
        parents = self._tree.parents[: self._labels]
        labels = np.bincount(parents[parents >= 0], minlength=len(self._tree))
        shapes = np.column_stack([part[self._nodes] for part in (self._tree.heights, self._tree.widths, labels)])
        return tuple(self[int(turn)] for turn in np.sort(np.unique(shapes, axis=0, return_index=True)[1]))


class SplitOrder:
    """All splits of a taxonomy in their order, and the order of the items in which every node is a range."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        """The tree must have neither nodes with a single child nor very wide ones (see `Taxonomy.narrowed`)."""
        self.taxonomy = taxonomy
        self.item_at = taxonomy.tree.leaf_order
        self.place_of = taxonomy.tree.ranges[0][: len(taxonomy.universe)]
        self.splits = Splits(taxonomy.tree, len(taxonomy.universe))

    @property
    def last(self) -> Split:
        """The last split; if there is only one item, the only leaf."""
        return self.splits[-1] if self.splits else Split(node=0, height=0, children=((0, 1),), labels=(0,), inner=(), below=(0,))

    @property
    def most_children(self) -> int:
        """The largest number of children of a node."""
        return int(self.taxonomy.tree.widths.max())
