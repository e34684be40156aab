"""Candidates for the baskets of one size, and how likely each is by its items and pairs of items.

All possible baskets if there are few; otherwise baskets built item by item, each item chosen by how frequent it is and by how
often it goes together with those before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import all_itemsets, places_of, spread
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets
from tacita.sets.synthesis.pairs import item_shares

__all__ = ["MOST_CANDIDATES", "Candidates", "candidates"]


MOST_CANDIDATES = 2**15
FEWEST_CANDIDATES = 2**11

_ROWS_AT_ONCE = 4096
_TAKEN = -60.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Distinct baskets of one size as rows of increasing codes, each with the logarithm of its weight."""

    rows: Integers
    log_weights: Reals
    are_all: bool


def candidates(noisy: NoisyItemsets, lifts: Reals, *, baskets: float) -> Candidates:
    """All possible baskets, or as many likely ones as there are baskets, within bounds.

    `lifts` say, as logarithms, by how much each pair is more frequent than its items alone would make it. Those that are known
    only from smaller baskets are given less weight: together they would weigh too much in a large basket.
    """
    shares = item_shares(noisy)
    log_odds = np.log(shares / (1 - shares))
    table = _as_table(lifts if noisy.order > 1 else lifts / max(noisy.size - 1, 1), noisy.items)
    if comb(noisy.items, noisy.size) > MOST_CANDIDATES:
        number = round(min(max(baskets, FEWEST_CANDIDATES), MOST_CANDIDATES))
        rows = _put_together(number, noisy.size, log_odds, table)
        return Candidates(rows=rows, log_weights=np.zeros(rows.shape[0]), are_all=False)
    rows = all_itemsets(noisy.items, noisy.size)
    log_weights = log_odds[rows].sum(axis=1)
    for first, second in places_of(noisy.size, 2):
        log_weights += table[rows[:, first], rows[:, second]]
    return Candidates(rows=rows, log_weights=log_weights, are_all=True)


def _put_together(number: int, size: int, log_odds: Reals, lifts: Reals) -> Integers:
    """Rows of distinct items; the first item is chosen by even steps, so that every frequent item begins its share of rows."""
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


def _as_table(pairs: Reals, items: int) -> Reals:
    """One number for each pair as a table of items by items."""
    rows, table = all_itemsets(items, 2), np.zeros((items, items))
    table[rows[:, 0], rows[:, 1]] = table[rows[:, 1], rows[:, 0]] = pairs
    return table
