"""How many baskets have each item, from noisy weights of items in baskets of some classes of sizes.

In class c, an item of a basket with s items weighs 1 / max(s, m[c]), where m[c] is about the mean size: it weighs 1 at most,
so the noise has the same standard deviation d in all classes, and long baskets are shared out instead of cut. For Gaussian
noise, which follows the squares, it weighs the root of that. If e[c] is the
weight of all baskets of the class, as their sizes say, and x[c, i] the noisy weight of item i,

    pooled[i] = sum over c of e[c] * x[c, i] / sum over c of e[c] ** 2

is the share of item i if all classes were alike, with noise of d / sqrt(sum of e[c] ** 2). It is replaced by its likely mean,
as said below. The share in a class departs from it as far as the noise of the class allows, if shares differ by `SPREAD` of
themselves between classes, or by more than `UNLIKE` standard deviations of that noise:

    share[c, i] = trust * x[c, i] / e[c] + (1 - trust) * pooled[i]
    trust = t / (t + (d / e[c]) ** 2)
    t = (SPREAD * pooled[i]) ** 2 + max(|x[c, i] / e[c] - pooled[i]| - UNLIKE * d / e[c], 0) ** 2

How many baskets have an item with this share of the weight, is said last.

Estimating how frequent items are, even if noise has drowned their counts.

Many items have counts smaller than their noise: using the noisy numbers as they are would make items frequent that nobody has,
and keeping only those above a threshold would drop most of what is sold. But the distribution of all frequencies can be estimated
from all noisy numbers together, because the law of the noise is known. Given that, each item gets the mean of what its number can
be. A number far above the noise hardly moves; how far a smaller one does depends on how many items have so little.

Reference: the distribution is the maximum likelihood estimate of Kiefer and Wolfowitz 1956 on a grid, by expectation and
maximization; using it item by item is Robbins's empirical Bayes.

How many baskets have an item, from its share of the weight of all baskets, if items are independent of each other.

Large baskets are counted with less weight than they have items, so that a share of the weight is not a share of the places: an
item that nearly every basket has takes up a small part of a large one. Baskets are thought of as filled in a race, in which item
i arrives at the rate r[i] and a basket of s items is full at the time t[s]:

    chance[i, s] = 1 - exp(-r[i] * t[s]), with t[s] such that the sum over i is s.

The rates are those for which every item has its share of the weight; the number of baskets with each item follows from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.sets.synthesis.sizes import SizeGroups

__all__ = [
    "NoisyWeights",
    "Sizes",
    "likely_means",
    "places_of_items",
    "reached_at",
    "reaching",
]

_STEPS, _NEWTON_STEPS = 40, 200
_RACES = 12
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
    for _ in range(_RACES):
        when = reaching(np.minimum(few.sizes, _FULL * times.sum()), rates, times.astype(np.float64))
        chances = -np.expm1(-rates * when[:, np.newaxis])
        found = weight @ chances
        rates = rates * np.clip(np.log1p(-wanted / weight.sum()) / np.log1p(-np.minimum(found / weight.sum(), _FULL)), 0.1, 10.0)
    numbers = few.numbers @ chances
    return np.asarray((numbers / np.maximum(share, _LEAST))[which] * (shares / total), dtype=np.float64)


FAR = 12.0
"""Numbers from this many standard deviations on are kept as they are."""

_GRID = 120
_FINEST = 0.002
_ESTIMATES = 30
_LEAST_SHARE = 1e-100
_BINS_PER_DEVIATION = 8


def likely_means(noisy: Reals, *, deviation: float, is_gaussian: bool = False) -> Reals:
    """The mean of what each number can be, given all noisy ones; `deviation` is that of the noise, Laplace unless Gaussian."""
    means = np.array(noisy, dtype=np.float64)
    near = noisy < FAR * deviation
    if not near.any():
        return means
    bins, bin_of = np.unique(np.rint(noisy[near] / deviation * _BINS_PER_DEVIATION), return_inverse=True)
    times = np.bincount(bin_of.reshape(-1)).astype(np.float64)
    grid = np.concatenate([[0.0], np.geomspace(_FINEST, 2 * FAR, _GRID)])
    away = np.abs(bins[:, np.newaxis] / _BINS_PER_DEVIATION - grid)
    away = away**2 / 2 if is_gaussian else away * np.sqrt(2)
    likelihood = np.exp(away.min(axis=1, keepdims=True) - away)  # the largest entry of each row is 1, so that no row vanishes
    shares = np.full(grid.size, 1 / grid.size)
    for _ in range(_ESTIMATES):
        shares = (times / times.sum()) @ _posterior(likelihood, shares)
    means[near] = (_posterior(likelihood, shares) @ grid * deviation)[bin_of.reshape(-1)]
    return means


def _posterior(likelihood: Reals, shares: Reals) -> Reals:
    joint = likelihood * np.maximum(shares, _LEAST_SHARE)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True), dtype=np.float64)


SPREAD, UNLIKE = 0.5, 3.0
_ROUNDS = 30


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyWeights:
    """Noisy weights of items (columns) in baskets of each class of sizes (rows), and what all baskets of a class weigh."""

    classes: SizeGroups
    values: Reals
    wholes: Reals
    deviation: float
    is_gaussian: bool = False
    sizes: tuple[Sizes, ...] = ()
    """Of each class; without them, shares of the weight are taken as shares of all places in baskets."""

    @cached_property
    def pooled(self) -> Reals:
        """The likely share of each item, if it were the same in all classes."""
        return likely_means(self._together, deviation=self.deviation, is_gaussian=self.is_gaussian) / self._weight

    def standing_out(self, deviations: float) -> Booleans:
        """Which items have a noisy weight of at least that many standard deviations."""
        return np.asarray(self._together >= deviations * self.deviation, dtype=np.bool_)

    def counts(self, place: int, *, items: Integers, room: float, most: float) -> Reals:
        """How many baskets of one class have each of these items: numbers that fill the room, none above `most`."""
        return _scaled(self._numbers[place][items], room=room, most=most)

    @cached_property
    def _numbers(self) -> list[Reals]:
        """About how many baskets of each class have each item, up to a factor."""
        found = []
        for place, whole in enumerate(np.maximum(self.wholes, 1e-9).tolist()):
            own, noise = self.values[place] / whole, self.deviation / whole
            spread = (SPREAD * self.pooled) ** 2 + np.maximum(np.abs(own - self.pooled) - UNLIKE * noise, 0.0) ** 2
            trust = spread / (spread + noise**2)
            shares = np.maximum(trust * own + (1 - trust) * self.pooled, 0.0)
            found.append(places_of_items(shares, self.sizes[place]) if self.sizes else shares)
        return found

    @cached_property
    def _weight(self) -> float:
        return max(sqrt(float((self.wholes**2).sum())), 1e-9)

    @cached_property
    def _together(self) -> Reals:
        return np.asarray(self.wholes @ self.values / self._weight, dtype=np.float64)


def _scaled(shares: Reals, *, room: float, most: float) -> Reals:
    """Multiples of the shares that add up to the room, none above `most`; less if all of them reach it."""
    shares = shares if shares.any() else np.ones_like(shares)
    counts = np.zeros_like(shares)
    for _ in range(_ROUNDS):
        is_full = counts >= most
        left, free = room - most * float(is_full.sum()), float(shares[~is_full].sum())
        if left <= 0 or free <= 0:
            break
        counts[~is_full] = shares[~is_full] * (left / free)
        if counts.max(initial=0.0) <= most:
            break
        counts = np.minimum(counts, most)
    return np.minimum(counts, most)
