"""A noisy prefix tree as arrays by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers, Reals

__all__ = ["NoisyTree", "TreeLevel", "sum_reals", "sum_wholes"]


@dataclass(frozen=True, eq=False)
class TreeLevel:
    """The nodes of one length, each with a noisy count.

    Node i ends with `symbols[i]` and hangs below node `parents[i]` of the level before. Nodes are ordered by parent, then
    symbol, which is the order of their prefixes.
    """

    parents: Integers
    symbols: Integers
    counts: Integers

    @classmethod
    def merged(cls, parts: Sequence[TreeLevel], *, symbols: int) -> tuple[TreeLevel, Integers]:
        """Sort disjoint parts of one level by prefix; also says which node of the parts came to each position."""
        parents = np.concatenate([part.parents for part in parts])
        last = np.concatenate([part.symbols for part in parts])
        counts = np.concatenate([part.counts for part in parts])
        order = np.argsort(parents * symbols + last, kind="stable")
        return cls(parents[order], last[order], counts[order]), order

    def __len__(self) -> int:
        """The number of nodes."""
        return int(self.counts.size)


@dataclass(frozen=True)
class NoisyTree:
    """Levels 1 to the height; the root above them does not count."""

    levels: tuple[TreeLevel, ...]

    def __len__(self) -> int:
        """The number of nodes."""
        return sum(len(level) for level in self.levels)

    def with_counts(self, counts: Sequence[Integers]) -> NoisyTree:
        """The same nodes with other counts, given level by level."""
        levels = zip(self.levels, counts, strict=True)
        return NoisyTree(tuple(TreeLevel(level.parents, level.symbols, values) for level, values in levels))

    def prefixes(self, level: int, nodes: Integers) -> Integers:
        """The prefixes of some nodes of a level (from 0), one per row."""
        paths = np.empty((nodes.size, level + 1), dtype=np.int64)
        for column in range(level, -1, -1):
            paths[:, column] = self.levels[column].symbols[nodes]
            nodes = self.levels[column].parents[nodes]
        return paths


def sum_reals(values: Reals, parents: Integers, *, size: int) -> Reals:
    """For each of `size` parents, the sum over its children, added in their order."""
    return np.asarray(np.bincount(parents, values, size), dtype=np.float64)


def sum_wholes(values: Integers, parents: Integers, *, size: int) -> Integers:
    """The same for integers, exactly; the children of one parent must be adjacent."""
    running = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values)])
    ends = np.searchsorted(parents, np.arange(size + 1))
    return np.diff(running[ends])
