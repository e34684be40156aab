"""From a noisy tree to sequences: as many copies of each prefix as sequences are estimated to end there.

Reference: Chen, Fung and Desai, *Differentially private trajectory data publication*, the release step. Without inference
("Basic") or with the published one, the children of a node may add up to more than the node; then no sequence ends there, because
a number of copies cannot be negative. On a consistent tree (`estimate` with `exact` or `corrected`) that never happens, and as
many sequences are written as the first level counts.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.parts import copies_in_parts
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.privacy.flood import refuse_flood
from tacita.trees.noisy_tree import NoisyTree

__all__ = ["sequences_from_tree", "terminations"]


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
