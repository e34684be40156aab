"""Weights of the candidate baskets, such that items, pairs and larger itemsets occur as often as their noisy numbers say.

The model has maximum entropy. With one parameter per itemset S, the weight of candidate b, which begins at w0(b), is

    log w(b) = log w0(b) + sum of parameters[S] over the itemsets S of b + a constant, such that all w(b) add up to `baskets`.

The parameters are found by iterative scaling (Darroch and Ratcliff 1972), in which a noisy number counts only as far as it stands
out from its noise, of standard deviation `deviation`. One step, for all itemsets of one order at once, is

    present[S] = sum of w(b) over the candidates b that contain S
    followed[S] = trust(present[S], deviation), between 0 and 1
    parameters[S] += pace * (followed[S] * log(targets[S] / present[S]) - (1 - followed[S]) * parameters[S])

with both numbers at least FLOOR * deviation and every change within _LARGEST_STEP. The second term lets parameters that rest on
noise fade; itemsets that are whole baskets do without it.

Candidates for the baskets of one size, and how likely each is by its items and pairs of items.

All possible baskets if there are few; otherwise baskets built item by item, each item chosen by how frequent it is and by how
often it goes together with those before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import all_itemsets, itemset_numbers, places_of, spread
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets
from tacita.sets.synthesis.pairs import FLOOR, item_shares, trust

__all__ = [
    "MOST_CANDIDATES",
    "MOST_FEATURES",
    "Candidates",
    "candidates",
    "fitted_weights",
]

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


MOST_FEATURES = 2**23
"""Itemsets of one order in all candidates together; a bound on memory."""

_ROUNDS = 40
_SETTLED = 0.05
_LARGEST_ORDER = 3
_LARGEST_STEP = 1.0
_DAMPING = 0.7


@dataclass
class _Order:
    """The itemsets of one order: which ones each candidate contains, their target numbers, and their parameters."""

    numbers: Integers
    targets: Reals
    deviation: Reals | float
    pace: float
    parameters: Reals
    fading: bool

    def step(self, weights: Reals) -> Reals:
        """One step of iterative scaling; returns the change of the logarithm of each candidate's weight."""
        width, size = self.numbers.shape[1], self.targets.size
        present = np.bincount(self.numbers.ravel(), weights=np.repeat(weights, width), minlength=size).astype(np.float64)
        least = FLOOR * self.deviation
        followed = trust(present, self.deviation)
        change = followed * np.log(np.maximum(self.targets, least) / np.maximum(present, least))
        if self.fading:
            change -= (1 - followed) * self.parameters
        change = np.clip(self.pace * change, -_LARGEST_STEP, _LARGEST_STEP)
        self.parameters += change
        return np.asarray(change[self.numbers].sum(axis=1), dtype=np.float64)


def fitted_weights(noisy: NoisyItemsets, pool: Candidates, *, baskets: float, borrowed_pairs: Reals | None = None) -> Reals:
    """One weight for each candidate; they add up to the number of baskets.

    If every possible basket has a noisy number of its own, the weights start from these, and only the first half of the rounds
    fits them; the second half fits lower orders alone, which corrects the bias of noisy numbers cut off at zero. If only single
    items have numbers, those of pairs may be borrowed from elsewhere; they are treated as numbers with large noise.
    """
    is_whole = pool.are_all and noisy.order == noisy.size
    log_weights = _begin_whole(noisy, pool, baskets) if is_whole else pool.log_weights
    orders = _orders(noisy, pool.rows)
    if borrowed_pairs is not None and pool.rows.shape[0] * comb(noisy.size, 2) <= MOST_FEATURES:
        orders[2] = _order(noisy, pool.rows, 2, borrowed_pairs, borrowed_pairs + 1.0)  # their deviation is as large as they are
    if not is_whole or noisy.size == 1:
        return _normalized(_scaled(log_weights, list(orders.values()), baskets, rounds=_ROUNDS), baskets)
    lower = [part for order, part in orders.items() if order < noisy.size]
    log_weights = _scaled(log_weights, list(orders.values()), baskets, rounds=_ROUNDS // 2)
    return _normalized(_scaled(log_weights, lower, baskets, rounds=_ROUNDS // 2), baskets)


def _scaled(log_weights: Reals, orders: list[_Order], baskets: float, *, rounds: int) -> Reals:
    """Iterative scaling by all orders in turn, until weights hardly change."""
    for _ in range(rounds):
        before = log_weights
        for part in orders:
            log_weights = log_weights + part.step(_normalized(log_weights, baskets))
        if np.abs(log_weights - before).max() < _SETTLED:
            break
    return log_weights


def _begin_whole(noisy: NoisyItemsets, pool: Candidates, baskets: float) -> Reals:
    """Starting weights: noisy numbers of whole baskets where they stand out, otherwise what items and pairs suggest."""
    likely = _normalized(pool.log_weights, baskets)
    deviation = noisy.deviation(noisy.order)
    found = np.maximum(noisy.implied(noisy.order), FLOOR * deviation)
    followed = np.maximum(trust(likely, deviation), trust(found, deviation))
    return np.asarray(followed * np.log(found) + (1 - followed) * np.log(np.maximum(likely, 0.01)), dtype=np.float64)


def _orders(noisy: NoisyItemsets, rows: Integers) -> dict[int, _Order]:
    orders = sorted({*range(1, min(noisy.order, _LARGEST_ORDER) + 1), noisy.order})
    return {
        order: _order(noisy, rows, order, noisy.implied(order), noisy.deviation(order))
        for order in orders
        if rows.shape[0] * comb(noisy.size, order) <= MOST_FEATURES
    }


def _order(noisy: NoisyItemsets, rows: Integers, order: int, targets: Reals, deviation: Reals | float) -> _Order:
    return _Order(
        numbers=np.stack(
            [itemset_numbers(rows[:, places], items=noisy.items) for places in places_of(noisy.size, order)], axis=1
        ),
        targets=targets,
        deviation=deviation,
        pace=1.0 if order == noisy.size else comb(noisy.size, order) ** -_DAMPING,
        parameters=np.zeros(comb(noisy.items, order)),
        fading=order < noisy.size,
    )


def _normalized(log_weights: Reals, baskets: float) -> Reals:
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights * (baskets / weights.sum()), dtype=np.float64)
