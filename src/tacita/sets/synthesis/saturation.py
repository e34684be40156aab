"""How many baskets have an item, from its share of the weight of all baskets, if items are independent of each other.

Large baskets are counted with less weight than they have items, so that a share of the weight is not a share of the places: an
item that nearly every basket has takes up a small part of a large one. Baskets are thought of as filled in a race, in which item
i arrives at the rate r[i] and a basket of s items is full at the time t[s]:

    chance[i, s] = 1 - exp(-r[i] * t[s]), with t[s] such that the sum over i is s.

The rates are those for which every item has its share of the weight; the number of baskets with each item follows from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Reals

__all__ = ["Sizes", "places_of_items", "reached_at", "reaching"]


_STEPS, _NEWTON_STEPS = 40, 200
_ROUNDS = 12
_MOST_SIZES = 24
_PER_OCTAVE = 8
_LEAST = 1e-12
_FULL = 0.9999


@dataclass(frozen=True, kw_only=True, eq=False)
class Sizes:
    """How many baskets of one class have each size, and what an item of such a basket weighs."""

    sizes: Reals
    numbers: Reals
    weights: Reals

    def few(self) -> Sizes:
        """The same with few sizes: neighbours are joined, such that all have about as many places."""
        kept = (self.numbers > _LEAST) & (self.sizes > 0)
        sizes, numbers, weights = self.sizes[kept], self.numbers[kept], self.weights[kept]
        if sizes.size <= _MOST_SIZES:
            return Sizes(sizes=sizes, numbers=numbers, weights=weights)
        places = numbers * sizes
        part = np.minimum((np.cumsum(places) - places / 2) / places.sum() * _MOST_SIZES, _MOST_SIZES - 1).astype(np.int64)
        number, place, weight = (
            np.bincount(part, weights=each).astype(np.float64) for each in (numbers, places, places * weights)
        )
        found = number > 0
        return Sizes(
            sizes=place[found] / number[found], numbers=number[found], weights=weight[found] / np.maximum(place[found], _LEAST)
        )


def reaching(wanted: Reals | float, rates: Reals, times: Reals) -> Reals:
    """The time at which the sum of `times[i] * (1 - exp(-rates[i] * time))` is as wanted, for each wanted number.

    It is found by halving, on a logarithmic scale; whatever cannot be reached gets the largest time.
    """
    wanted = np.atleast_1d(np.asarray(wanted, dtype=np.float64))
    largest = max(float(rates.max(initial=0.0)), _LEAST)
    low, high = np.full(wanted.size, np.log(_LEAST / largest)), np.full(wanted.size, np.log(1 / (largest * _LEAST)))
    for _ in range(_STEPS):
        middle = (low + high) / 2
        reached = (times * -np.expm1(-rates * np.exp(middle)[:, np.newaxis])).sum(axis=1)
        is_low = reached < wanted
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.asarray(np.exp((low + high) / 2), dtype=np.float64)


def reached_at(wanted: float, rates: Reals, times: Reals) -> float:
    """The same for one number that is reached, by Newton's steps from the left: the sum is concave, so they never go too far."""
    time = wanted / float(times @ rates)
    for _ in range(_NEWTON_STEPS):
        left = times * np.exp(-rates * time)
        step = (wanted - float(times.sum() - left.sum())) / float(left @ rates)
        time += step
        if abs(step) <= _LEAST * time:
            break
    return time


def places_of_items(shares: Reals, sizes: Sizes) -> Reals:
    """In how many baskets each item is, given its share of all weight; the shares are scaled to add up to 1."""
    few, total = sizes.few(), float(shares.sum())
    if not few.sizes.size or total <= 0:
        return np.zeros_like(shares)
    # items of nearly the same share are one
    octaves = np.rint(np.log2(np.maximum(shares / total, _LEAST)) * _PER_OCTAVE)
    places, which, times = np.unique(octaves, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    share = np.bincount(which, weights=shares / total) / times
    weight = few.numbers * few.weights  # of one item that is in all baskets
    wanted = np.minimum(share * float((weight * few.sizes).sum()), _FULL * weight.sum())
    rates = np.maximum(share, _LEAST)
    chances = np.zeros((few.sizes.size, places.size))
    for _ in range(_ROUNDS):
        when = reaching(np.minimum(few.sizes, _FULL * times.sum()), rates, times.astype(np.float64))
        chances = -np.expm1(-rates * when[:, np.newaxis])
        found = weight @ chances
        rates = rates * np.clip(np.log1p(-wanted / weight.sum()) / np.log1p(-np.minimum(found / weight.sum(), _FULL)), 0.1, 10.0)
    numbers = few.numbers @ chances
    return np.asarray((numbers / np.maximum(share, _LEAST))[which] * (shares / total), dtype=np.float64)
