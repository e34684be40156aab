"""A noisy prefix tree as arrays by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.core.transcript import Cells

__all__ = ["NoisyTree", "TreeLevel"]


@dataclass(frozen=True, eq=False)
class TreeLevel:
    """The nodes of one length, each with a noisy count.

    Node i ends with `symbols[i]` and hangs below node `parents[i]` of the level before. Nodes are ordered by parent, then
    symbol, which is the order of their prefixes.
    """

    parents: npt.NDArray[np.int64]
    symbols: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    @classmethod
    def from_cells(cls, cells: Cells, *, symbols: int) -> TreeLevel:
        """Unpack cells numbered `parent * symbols + symbol`."""
        parents, last = np.divmod(cells.keys, symbols)
        return cls(parents, last, cells.values)

    def __len__(self) -> int:
        """The number of nodes."""
        return int(self.counts.size)


@dataclass(frozen=True)
class NoisyTree:
    """Levels 1 to the height; the root above them is not counted."""

    levels: tuple[TreeLevel, ...]

    def __len__(self) -> int:
        """The number of nodes."""
        return sum(len(level) for level in self.levels)

    def with_counts(self, counts: Sequence[npt.NDArray[np.int64]]) -> NoisyTree:
        """The same nodes with other counts, given level by level."""
        levels = zip(self.levels, counts, strict=True)
        return NoisyTree(tuple(TreeLevel(level.parents, level.symbols, values) for level, values in levels))

    def prefixes(self, level: int, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The prefixes of some nodes of a level (from 0), one a row."""
        paths = np.empty((nodes.size, level + 1), dtype=np.int64)
        for column in range(level, -1, -1):
            paths[:, column] = self.levels[column].symbols[nodes]
            nodes = self.levels[column].parents[nodes]
        return paths
