"""The order in which partitions of baskets are split along a taxonomy, and what each split asks. All of it is public.

A partition stands for the baskets that have items below each node of its cut, and nowhere else. It is split at the inner node of
its cut that has the largest height and, among those, comes first in the universe's order. A node is always higher than what lies
below it, so all partitions of a run split at the inner nodes of the taxonomy in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tacita.public.taxonomy import Taxonomy

__all__ = ["Split", "SplitOrder"]

Integers = npt.NDArray[np.int64]


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


class SplitOrder:
    """All splits of a taxonomy in their order, and the order of the items in which every node is a range."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        """Walk the tree once; it must have neither nodes with a single child nor very wide ones (see `Taxonomy.narrowed`)."""
        self.taxonomy = taxonomy
        labels = len(taxonomy.universe)
        self.item_at = _leaf_order(taxonomy)
        place_of = np.zeros(labels, dtype=np.int64)
        place_of[self.item_at] = np.arange(labels)
        self.place_of = place_of
        height, inner, first, begin, end = _measures(taxonomy, place_of)
        nodes = sorted(range(labels, len(taxonomy.parents)), key=lambda node: (-height[node], first[node]))
        turn = {node: place for place, node in enumerate(nodes)}
        self.splits = tuple(
            Split(
                node=node,
                height=height[node],
                children=tuple((begin[child], end[child]) for child in ordered),
                labels=tuple(child for child in ordered if child < labels),
                inner=tuple(turn[child] for child in ordered if child >= labels),
                below=tuple(inner[child] for child in ordered),
            )
            for node in nodes
            for ordered in [_labels_first(taxonomy, node)]
        )

    @property
    def last(self) -> Split:
        """The last split; if there is only one item, the only leaf."""
        return self.splits[-1] if self.splits else Split(node=0, height=0, children=((0, 1),), labels=(0,), inner=(), below=(0,))

    @cached_property
    def most_children(self) -> int:
        """The largest number of children of a node."""
        return max((len(split.children) for split in self.splits), default=0)


def _labels_first(taxonomy: Taxonomy, node: int) -> list[int]:
    return sorted(taxonomy.children(node), key=lambda child: (child >= len(taxonomy.universe), child))


def _leaf_order(taxonomy: Taxonomy) -> Integers:
    """The labels in the order of a walk through the tree, those directly below a node before deeper ones."""
    order: list[int] = []
    waiting = [taxonomy.root]
    while waiting:
        node = waiting.pop()
        if node < len(taxonomy.universe):
            order.append(node)
        waiting.extend(reversed(_labels_first(taxonomy, node)))
    return np.array(order, dtype=np.int64)


def _measures(taxonomy: Taxonomy, place_of: Integers) -> tuple[list[int], list[int], list[int], list[int], list[int]]:
    """For each node: its height, the number of inner nodes at and below it, its first label, and its range of positions."""
    nodes, labels = len(taxonomy.parents), len(taxonomy.universe)
    height, inner = [0] * nodes, [0] * labels + [1] * (nodes - labels)
    first = [*range(labels), *[labels] * (nodes - labels)]
    begin = [*place_of.tolist(), *[labels] * (nodes - labels)]
    end = [*(place_of + 1).tolist(), *[0] * (nodes - labels)]
    for node in taxonomy.from_below():
        above = taxonomy.parents[node]
        if above < 0:
            continue
        height[above] = max(height[above], height[node] + 1)
        inner[above] += inner[node]
        first[above] = min(first[above], first[node])
        begin[above] = min(begin[above], begin[node])
        end[above] = max(end[above], end[node])
    return height, inner, first, begin, end
