"""A noisy prefix tree as arrays by level, the correction of its counts for the threshold, and the sequences that it describes.

Sequences from a tree that also counts ends are written by `completion`; the estimates of counts are in `inference`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.parts import copies_in_parts
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.privacy.limits import refuse_flood

__all__ = ["NoisyTree", "TreeLevel", "sequences_from_tree", "sum_reals", "sum_wholes", "terminations", "without_false_nodes"]


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


# The correction of counts for the bias that the threshold causes.
#
# Only counts that reach the threshold are kept, so kept counts are too large on average, and some belong to nobody. The
# expected number of such false nodes follows from public figures: the number of cells asked for times the probability that
# noise passes. How far above the threshold they lie is also known, because the noise is memoryless there: at least `excess`
# with probability exp(-rate * excess). So the share of false nodes at each height above the threshold is expected / observed,
# and each count is multiplied by the share of true ones. The ratio of observed to expected density can only grow with the
# excess, which the estimate enforces (isotonic regression, Grenander's estimate of a density). This is Efron's local false
# discovery rate, with the distribution of the false ones known exactly.
#
# Reference: B. Efron, *Large-scale inference*, Cambridge University Press, 2010, chapter 5; U. Grenander, *On the theory of
# mortality measurement*, 1956. Not in the papers on prefix trees, whose inference takes kept counts as if all had been kept.


_STEPS_PER_SCALE = 8
_LARGEST_SCALES = 32
_CELLS = _STEPS_PER_SCALE * _LARGEST_SCALES


def without_false_nodes(counts: Reals, *, excess: Reals, expected_false: float) -> Reals:
    """The counts of one level, each multiplied by the estimated share of true nodes among similar ones.

    `excess` is the distance to the threshold in noise scales.
    """
    cells = np.clip(excess * _STEPS_PER_SCALE, 0, _CELLS - 1).astype(np.int64)
    observed = np.bincount(cells, minlength=_CELLS).astype(np.float64)
    tail = np.append(np.exp(-np.arange(_CELLS) / _STEPS_PER_SCALE), 0.0)
    expected = expected_false * (tail[:-1] - tail[1:])
    return np.asarray(counts * (1 - _false_shares(observed, expected)[cells]), dtype=np.float64)


def _false_shares(observed: Reals, expected: Reals) -> Reals:
    """Expected / observed in each cell, made non-increasing by pooling neighbouring cells, and at most 1."""
    blocks: list[tuple[float, float, int]] = []  # observed, expected, number of cells
    for seen, false in zip(observed.tolist(), expected.tolist(), strict=True):
        block = (seen, false, 1)
        while blocks and blocks[-1][1] * block[0] <= block[1] * blocks[-1][0]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    shares = [min(1.0, false / seen) if seen else 1.0 for seen, false, _ in blocks]
    return np.repeat(np.array(shares), [cells for _, _, cells in blocks])


# From a tree to sequences: as many copies of each prefix as sequences are estimated to end there.
#
# Reference: Chen, Fung and Desai, *Differentially private trajectory data publication*, the release step. Without inference
# ("Basic") or with the published one, the children of a node may add up to more than the node; then no sequence ends there,
# because a number of copies cannot be negative. On a consistent tree (`estimate` of `inference` with `exact` or `corrected`)
# that never happens, and as many sequences are written as the first level counts.


def terminations(tree: NoisyTree) -> list[Integers]:
    """For each level, how many sequences end at each node: its count minus those of its children, at least 0."""
    ends = [level.counts.copy() for level in tree.levels]
    for above, level in zip(ends, tree.levels[1:], strict=False):
        np.subtract.at(above, level.parents, level.counts)
    return [np.maximum(level, 0) for level in ends]


def sequences_from_tree(tree: NoisyTree) -> Ragged:
    """Write each prefix once per sequence that ends there, sorted by length, then by symbols."""
    ends_by_level = terminations(tree)
    refuse_flood(sum((level + 1) * float(ends.sum(dtype=np.float64)) for level, ends in enumerate(ends_by_level)), in_parts=True)
    nodes = [np.flatnonzero(ends) for ends in ends_by_level]
    lengths = np.repeat(np.arange(1, len(nodes) + 1), [level.size for level in nodes])
    times = [ends[found] for ends, found in zip(ends_by_level, nodes, strict=True)]
    return copies_in_parts(lengths, np.concatenate([np.zeros(0, dtype=np.int64), *times]), partial(_prefixes, tree, nodes))


def _prefixes(tree: NoisyTree, nodes: list[Integers], first: int, last: int) -> Ragged:
    """The prefixes of some of these nodes, which are counted through all levels."""
    codes, lengths = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int64)]
    begin = 0
    for level, found in enumerate(nodes):
        here = found[max(first - begin, 0) : max(last - begin, 0)]
        codes.append(tree.prefixes(level, here).astype(np.int32).ravel())
        lengths.append(np.full(here.size, level + 1))
        begin += found.size
    return Ragged(np.concatenate(codes), offsets_of(np.concatenate(lengths)))
