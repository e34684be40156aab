"""Everything noisy that itineraries are made from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tacita.public.letters import Alphabet
from tacita.sequences.ngrams.synthesis import GramLevel, GramTree

__all__ = ["NoisyItineraries", "calmed", "scaled"]

Reals = npt.NDArray[np.float64]

DROWNED = 0.9
"""Counts are drowned if noise explains this share of their variance."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyItineraries:
    """Noisy answers to the questions of itineraries.

    `lengths[l]` sequences have l symbols, the last place counting those that were cut after `max_length`. `shapes[l]` says, for
    whole sequences of l symbols, how many visit d different places and end elsewhere (column 2 d) or where they began (2 d + 1).
    `letters` and `places` hold weighted counts: a record of l symbols counts min(1, cap / l), and `cover` is the share of all
    symbols that is counted so.
    """

    alphabet: Alphabet
    symbols: int
    max_length: int
    lengths: Reals
    shapes: Reals
    shape_deviation: float
    beginnings: GramTree
    letters: GramTree
    letter_cover: float
    first: GramTree
    places: GramTree
    cap: int
    cover: float

    @property
    def records(self) -> int:
        """How many sequences there are."""
        return round(float(self.lengths.sum()))


def scaled(tree: GramTree, factor: float) -> GramTree:
    """The same tree with counts and noise multiplied."""
    levels = tuple(
        GramLevel(
            level.parents, level.symbols, np.rint(level.counts * factor).astype(np.int64), level.asked, level.scales * factor
        )
        for level in tree.levels
    )
    return replace(tree, levels=levels)


def calmed(tree: GramTree) -> GramTree:
    """The same tree, with all single counts alike if noise explains nearly all of how they differ.

    Where noise covers how popular places are, all of them are taken as equally popular: better than what chance says.
    """
    if not tree.levels or not len(tree.levels[0]):
        return tree
    level = tree.levels[0]
    noise = 2 * float((level.scales**2).mean())
    if float(level.counts.var()) * DROWNED > noise:
        return tree
    counts = np.full(len(level), round(float(level.counts.mean())), dtype=np.int64)
    single = GramLevel(level.parents, level.symbols, counts, level.asked, level.scales)
    return replace(tree, levels=(single, *tree.levels[1:]))
