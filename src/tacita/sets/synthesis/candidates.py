"""Candidates for the baskets of one size, and how likely each is by its items and pairs of items.

All possible baskets where they are few; otherwise baskets that are put together item by item, each item chosen by how frequent it
is and by how often it goes together with those before it. Noise must not look like a preference: a pair moves away from what its
items alone would give by as much as its number stands out from its noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from tacita.core.combinations import all_itemsets, places_of
from tacita.core.scatter import spread
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets

__all__ = ["FLOOR", "MOST_CANDIDATES", "Candidates", "candidates", "trust"]

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

MOST_CANDIDATES = 2**15
FEWEST_CANDIDATES = 2**11

FLOOR = 0.3
"""Numbers below this many standard deviations of their noise are taken for this many: nothing can be said about them."""

_ROWS_AT_ONCE = 4096
_SPREAD_OF_LOGARITHMS = 2.0
_TAKEN = -60.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Different baskets of one size as rows of increasing codes, each with the logarithm of its weight."""

    rows: Integers
    log_weights: Reals
    are_all: bool


def trust(numbers: Reals, deviation: float) -> Reals:
    """How far a noisy number is to be followed, from 0 to 1, if `numbers` are expected in its place.

    The precision of the logarithm of a noisy number, against a standard deviation of 2 of what is not known beforehand.
    """
    precision = (np.maximum(numbers, FLOOR * deviation) / deviation) ** 2
    return np.asarray(precision / (precision + _SPREAD_OF_LOGARITHMS**-2), dtype=np.float64)


def candidates(noisy: NoisyItemsets, *, baskets: float) -> Candidates:
    """All possible baskets, or as many likely ones as there are baskets, within bounds."""
    shares = _shares(noisy)
    log_odds = np.log(shares / (1 - shares))
    lifts = _log_lifts(noisy, shares, baskets) if noisy.order > 1 else np.zeros((noisy.items, noisy.items))
    if comb(noisy.items, noisy.size) > MOST_CANDIDATES:
        number = round(min(max(baskets, FEWEST_CANDIDATES), MOST_CANDIDATES))
        rows = _put_together(number, noisy.size, log_odds, lifts)
        return Candidates(rows=rows, log_weights=np.zeros(rows.shape[0]), are_all=False)
    rows = all_itemsets(noisy.items, noisy.size)
    log_weights = log_odds[rows].sum(axis=1)
    for first, second in places_of(noisy.size, 2):
        log_weights += lifts[rows[:, first], rows[:, second]]
    return Candidates(rows=rows, log_weights=log_weights, are_all=True)


def _shares(noisy: NoisyItemsets) -> Reals:
    """Which share of the baskets has each item: none has no chance, none is sure."""
    numbers = np.maximum(noisy.implied(1), FLOOR * noisy.deviation(1))
    return np.asarray(np.clip(numbers / numbers.sum() * noisy.size, 1e-9, 0.98), dtype=np.float64)


def _log_lifts(noisy: NoisyItemsets, shares: Reals, baskets: float) -> Reals:
    """By how much each pair is more frequent than its items alone would make it, as a logarithm, as far as it can be trusted."""
    pairs = all_itemsets(noisy.items, 2)
    first, second = pairs[:, 0], pairs[:, 1]
    alone = baskets * shares[first] * shares[second] * (noisy.size - 1) / noisy.size
    deviation = noisy.deviation(2)
    least = FLOOR * deviation
    found = np.log(np.maximum(noisy.implied(2), least) / np.maximum(alone, least))
    lifts = np.zeros((noisy.items, noisy.items))
    lifts[first, second] = lifts[second, first] = trust(alone, deviation) * found
    return lifts


def _put_together(number: int, size: int, log_odds: Reals, lifts: Reals) -> Integers:
    """Rows of different items; the first item by even steps, so that every frequent item begins its share of them."""
    rows = np.zeros((number, size), dtype=np.int64)
    for begin in range(0, number, _ROWS_AT_ONCE):
        which = np.arange(begin, min(begin + _ROWS_AT_ONCE, number))
        scores = np.tile(log_odds, (which.size, 1))
        for place in range(size):
            running = np.cumsum(np.exp(scores - scores.max(axis=1, keepdims=True)), axis=1)
            position = (which + 0.5) / number if place == 0 else spread(which, salt=place + 64 * size)
            chosen = (running < (position * running[:, -1])[:, np.newaxis]).sum(axis=1)
            rows[which, place] = chosen
            scores += lifts[chosen]
            scores[np.arange(which.size), chosen] += _TAKEN
    rows.sort(axis=1)
    return np.asarray(rows[(rows[:, 1:] > rows[:, :-1]).all(axis=1)], dtype=np.int64)
