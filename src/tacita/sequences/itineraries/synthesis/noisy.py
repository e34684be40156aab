"""Everything noisy that itineraries are made from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tacita.public.letters import Alphabet
from tacita.sequences.ngrams.synthesis import GramLevel, GramTree

__all__ = ["NoisyItineraries", "calmed", "is_drowned", "scaled"]

Reals = npt.NDArray[np.float64]

DROWNED = 0.8
"""Counts are drowned if noise explains this share of their variance."""

MADE_UP = 1e-4
"""If places are made up, no two of them are visited together by more than this share of all people."""


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
        """How many sequences to write: as many as there are, or fewer if noise covers which places are popular.

        Then places are made up, and counts of people by places are too: a few sequences still show lengths and returns, and
        claim hardly more of any places than an empty release does.
        """
        number = float(self.lengths.sum())
        if not is_drowned(self.places):
            return round(number)
        symbols = np.minimum(np.arange(self.lengths.size), self.max_length)
        pairs = float(self.lengths @ (symbols * (symbols - 1.0))) / max(number, 1.0)
        return round(number * min(1.0, MADE_UP * self.symbols * (self.symbols - 1) / max(pairs, 1e-9)))


def scaled(tree: GramTree, factor: float) -> GramTree:
    """The same tree with counts and noise multiplied."""
    levels = tuple(
        GramLevel(
            level.parents, level.symbols, np.rint(level.counts * factor).astype(np.int64), level.asked, level.scales * factor
        )
        for level in tree.levels
    )
    return replace(tree, levels=levels)


def is_drowned(tree: GramTree) -> bool:
    """Whether noise explains nearly all of how single counts differ."""
    if not tree.levels or not len(tree.levels[0]):
        return True
    level = tree.levels[0]
    return float(level.counts.var()) * DROWNED <= 2 * float((level.scales**2).mean())


def calmed(tree: GramTree, like: GramTree | None = None) -> GramTree:
    """The same tree; if its single counts are drowned, with those of another one, as far as these are not, or all alike.

    Where noise covers how popular places are, all of them are taken as equally popular: better than what chance says.
    """
    if not tree.levels or not len(tree.levels[0]) or not is_drowned(tree):
        return tree
    level = tree.levels[0]
    shares = np.full(len(level), 1 / len(level))
    if like is not None and not is_drowned(like) and len(like.levels[0]) == len(level):
        shares = np.maximum(like.levels[0].counts, 0.0)[np.searchsorted(like.levels[0].symbols, level.symbols)]
        shares = shares / max(float(shares.sum()), 1.0)
    counts = np.rint(shares * max(float(level.counts.sum()), 0.0)).astype(np.int64)
    single = GramLevel(level.parents, level.symbols, counts, level.asked, level.scales)
    return replace(tree, levels=(single, *tree.levels[1:]))
