"""Sequences whose places are visited as often as wanted: in some of them, one place takes the name of another.

A place that is visited too often gives whole sequences away: every visit to it in one sequence becomes a visit to a place that is
visited too rarely and does not occur in that sequence. So lengths, returns and round trips stay as they are.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged
from tacita.sequences.itineraries.synthesis.spread import mixed

__all__ = ["visited_as_wanted"]


def visited_as_wanted(lists: Ragged, wanted: Reals) -> Ragged:
    """The same sequences with places renamed, so that the shares of all visits are nearly as wanted.

    >>> lists = Ragged.from_lists([[0, 1, 0], [0], [0], [1]])
    >>> np.bincount(visited_as_wanted(lists, np.array([3.0, 1.0, 2.0])).codes).tolist()
    [3, 1, 2]
    """
    symbols = wanted.size
    codes = lists.codes.astype(np.int64)
    if not codes.size or not wanted.sum() > 0:
        return lists
    steps = np.cumsum(wanted) * (codes.size / wanted.sum())
    aims = np.diff(np.floor(steps + 0.5), prepend=0).astype(np.int64)
    over = np.bincount(codes, minlength=symbols) - aims
    owners = np.repeat(np.arange(len(lists)), lists.lengths)
    tokens, token_of, sizes = np.unique(owners * symbols + codes, return_inverse=True, return_counts=True)
    given = _given_away(tokens % symbols, sizes, over)
    reached = np.cumsum(np.maximum(-over, 0))
    ends = np.cumsum(sizes[given])
    becomes = np.searchsorted(reached, ends - sizes[given] / 2, side="right")
    possible = becomes < symbols
    given, becomes = given[possible], becomes[possible]
    there = tokens[given] // symbols * symbols + becomes
    found = np.minimum(np.searchsorted(tokens, there), tokens.size - 1)
    free = tokens[found] != there
    _, first = np.unique(there[free], return_index=True)  # no two places of one sequence become the same
    given, becomes = given[free][first], becomes[free][first]
    renamed = tokens % symbols
    renamed[given] = becomes
    return Ragged(renamed[token_of.reshape(-1)].astype(lists.codes.dtype), lists.offsets)


def _given_away(places: Integers, sizes: Integers, over: Integers) -> Integers:
    """Which places of which sequences are renamed, in an order that says nothing; of each place those that are too many."""
    order = np.argsort(mixed(places.size, turn=3), kind="stable")
    order = order[np.argsort(places[order], kind="stable")]
    running = np.cumsum(sizes[order])
    begins = np.searchsorted(places[order], np.arange(over.size))
    before = np.concatenate([[0], running])[begins][places[order]]
    chosen = order[running - before <= over[places[order]]]
    return np.asarray(chosen[np.argsort(mixed(chosen.size, turn=4), kind="stable")], dtype=np.int64)
