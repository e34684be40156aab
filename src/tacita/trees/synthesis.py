"""From a noisy tree to sequences: as many copies of each prefix as sequences are estimated to end there.

Reference: Chen, Fung and Desai, *Differentially private trajectory data publication*, the release step. Without inference
("Basic") or with the published one, the children of a node may add up to more than the node; then no sequence ends there, because
a number of copies cannot be negative. On a consistent tree (`estimate` with `exact` or `corrected`) that never happens, and as
many sequences are written as the first level counts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.privacy.flood import refuse_flood
from tacita.trees.noisy_tree import NoisyTree

__all__ = ["sequences_from_tree", "terminations"]


def terminations(tree: NoisyTree) -> list[npt.NDArray[np.int64]]:
    """For each level, how many sequences end at each node: its count minus those of its children, at least 0."""
    ends = [level.counts.copy() for level in tree.levels]
    for above, level in zip(ends, tree.levels[1:], strict=False):
        np.subtract.at(above, level.parents, level.counts)
    return [np.maximum(level, 0) for level in ends]


def sequences_from_tree(tree: NoisyTree) -> Ragged:
    """Write each prefix once per sequence that ends there, sorted by length, then by symbols."""
    parts: list[npt.NDArray[np.int64]] = []
    lengths: list[npt.NDArray[np.int64]] = []
    ends_by_level = terminations(tree)
    refuse_flood(sum((level + 1) * float(ends.sum(dtype=np.float64)) for level, ends in enumerate(ends_by_level)))
    for level, ends in enumerate(ends_by_level):
        nodes = np.flatnonzero(ends)
        copies = np.repeat(tree.prefixes(level, nodes), ends[nodes], axis=0)
        parts.append(copies.ravel())
        lengths.append(np.full(copies.shape[0], level + 1))
    if not parts:
        return Ragged.from_lists([])
    return Ragged(np.concatenate(parts).astype(np.int32), offsets_of(np.concatenate(lengths)))
