"""Dealing walkers out to what they may do, so that every number comes out nearly as expected.

A group of n walkers with chances p is dealt out by systematic sampling: it goes on to choice a as often as whole numbers lie
between n * (p1 + ... + p(a - 1)) and n * (p1 + ... + pa), shifted by a start between 0 and 1. So each number is n * p rounded up
or down, and right on average if starts are spread evenly; a single walker makes one choice, with the chances p.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers, Numbers, Reals
from tacita.sequences.itineraries.synthesis.places import Places
from tacita.sequences.itineraries.synthesis.spread import evenly

__all__ = ["dealt", "new_places"]


ATTEMPTS = 4
"""How often a single walker draws a new place before those that it visited are taken out of its row."""


def dealt(weights: Reals, sizes: Integers, starts: Reals) -> Integers:
    """How many walkers of each group make each choice, a row per choice; the last one if nothing has any weight.

    >>> dealt(np.array([[1.0, 1.0], [3.0, 0.0]]), np.array([8, 1]), np.array([0.5, 0.5])).tolist()
    [[2, 1], [6, 0]]
    """
    reached = np.cumsum(weights, axis=0)
    reached *= sizes / np.maximum(reached[-1], 1e-300)
    reached += starts
    counts = reached.astype(np.int64)
    counts[-1] = sizes
    np.minimum(counts, sizes, out=counts)
    counts[1:] -= counts[:-1].copy()
    return counts


def new_places(
    places: Places, rows: Integers, visited: Numbers, sizes: Integers, *, turn: int
) -> tuple[Integers, Integers, Integers]:
    """Where walkers go that go somewhere new: which group, which place, how many of them.

    A walker on its own draws from its row until it meets a place that it has not visited, a few times at the most. For groups,
    and for those who never met one, the distribution of the row without the visited places is inverted.
    """
    codes = np.full(rows.size, -1, dtype=np.int64)
    left = np.flatnonzero(sizes == 1)
    for attempt in range(ATTEMPTS):
        if not left.size:
            break
        found = places.inverted(rows[left], evenly(rows[left], turn=turn + 11 * attempt))
        again = (visited[:, left] == found).any(axis=0)
        codes[left[~again]] = found[~again]
        left = left[again]
    done, rest = np.flatnonzero(codes >= 0), np.flatnonzero(codes < 0)
    if not rest.size:
        return done, codes, sizes
    groups, others, numbers = _without_visited(places, rows[rest], visited[:, rest], sizes[rest], turn=turn)
    return np.append(done, rest[groups]), np.append(codes[done], others), np.append(sizes[done], numbers)


def _without_visited(
    places: Places, rows: Integers, visited: Numbers, sizes: Integers, *, turn: int
) -> tuple[Integers, Integers, Integers]:
    """New places of whole groups: those of one group have numbers in ascending order, so that equal places are neighbours."""
    symbols = places.new.shape[1]
    ordered = np.sort(np.where(visited < 0, symbols, visited), axis=0)
    is_there = ordered < symbols
    cells = rows * symbols + np.where(is_there, ordered, 0)
    shares = places.new.ravel()[cells] * is_there
    before = np.where(is_there, places.reached.ravel()[cells] - shares - 1e-15, np.inf)
    groups = np.repeat(np.arange(rows.size), sizes)
    turns = np.arange(groups.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    numbers = (turns + evenly(rows, turn=turn)[groups]) / sizes[groups]
    numbers *= np.maximum(1 - shares.sum(axis=0), 0.0)[groups]
    for share, least in zip(shares, before, strict=True):
        numbers += np.where(least[groups] <= numbers, share[groups], 0.0)
    codes = places.inverted(rows[groups], numbers)
    _mend(codes, groups, ordered, symbols)
    begins = np.flatnonzero((np.diff(groups, prepend=-1) != 0) | (np.diff(codes, prepend=-1) != 0))
    return groups[begins], codes[begins], np.diff(np.append(begins, groups.size))


def _mend(codes: Integers, groups: Integers, visited: Numbers, symbols: int) -> None:
    """Where a rounding error led to a visited place, take any other."""
    again = np.zeros(codes.size, dtype=np.bool_)
    for row in visited:
        again |= row[groups] == codes
    for walker in np.flatnonzero(again).tolist():
        left = np.setdiff1d(np.arange(symbols), visited[:, groups[walker]])
        codes[walker] = left[0] if left.size else codes[walker]
