"""Everything noisy that itineraries are made from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.public.letters import Alphabet
from tacita.sequences.ngrams.synthesis import GramLevel, GramTree

__all__ = ["NoisyItineraries", "calmed", "is_drowned", "scaled"]


SOUND, DROWNED = 0.5, 0.8
"""Counts are drowned if noise explains this share of their variance, and taken as they are if it explains at most that one."""

MADE_UP = 1e-4
"""If places are made up, no two of them are visited together by more than this share of all people."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyItineraries:
    """Noisy answers to the questions of itineraries.

    `lengths[l]` sequences have l symbols, the last place counting those that were cut after `max_length`; `drawn_lengths` are the
    same from 1 on, as the noise left them. `shapes[l]` says, for
    whole sequences of l symbols, how many visit d different places and end elsewhere (column 2 d) or where they began (2 d + 1).
    `letters` and `places` hold weighted counts: a record of l symbols counts min(1, cap / l), and `cover` is the share of all
    symbols that is counted so.
    """

    alphabet: Alphabet
    symbols: int
    max_length: int
    drawn_lengths: Integers
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
        if not is_drowned(self.places) or not _is_noise_larger(self.places):
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


def _share_of_noise(tree: GramTree) -> float:
    """The share of the variance of single counts that noise explains; 1 if there are none."""
    if not tree.levels or not len(tree.levels[0]):
        return 1.0
    level = tree.levels[0]
    return 2 * float((level.scales**2).mean()) / max(float(level.counts.var()), 1e-9)


def is_drowned(tree: GramTree) -> bool:
    """Whether noise explains nearly all of how single counts differ."""
    return _share_of_noise(tree) >= DROWNED


def _is_noise_larger(tree: GramTree) -> bool:
    """Whether single counts are smaller than their noise, on average; if not, that they are alike is known and no accident."""
    if not tree.levels or not len(tree.levels[0]):
        return True
    level = tree.levels[0]
    return 2 * float((level.scales**2).mean()) > max(float(level.counts.mean()), 0.0) ** 2


def calmed(tree: GramTree, like: GramTree | None = None) -> GramTree:
    """The same tree with single counts that are the more alike, the more of how they differ is noise; all alike if drowned.

    What is largest among noisy counts is mostly noise, and everybody would be sent there. Drowned counts are shared as those of
    another tree are, as far as these are not drowned too.
    """
    share = _share_of_noise(tree)
    if not tree.levels or not len(tree.levels[0]) or share <= SOUND:
        return tree
    level = tree.levels[0]
    mean = max(float(level.counts.mean()), 0.0)
    kept = max(0.0, (DROWNED - share) / (DROWNED - SOUND))
    counts = mean + kept * (level.counts - mean)
    if not kept and like is not None and not is_drowned(like) and len(like.levels[0]) == len(level):
        known = calmed(like).levels[0]
        shares = np.maximum(known.counts, 0.0)[np.searchsorted(known.symbols, level.symbols)]
        counts = shares / max(float(shares.sum()), 1.0) * mean * len(level)
    single = GramLevel(level.parents, level.symbols, np.rint(counts).astype(np.int64), level.asked, level.scales)
    return replace(tree, levels=(single, *tree.levels[1:]))
