"""How many baskets have each item, from noisy weights of items in baskets of some classes of sizes.

In class c, an item of a basket with s items weighs 1 / max(s, m[c]), where m[c] is about the mean size: it weighs 1 at most,
so the noise has the same standard deviation d in all classes, and long baskets are shared out instead of cut. If e[c] is the
weight of all baskets of the class, as their sizes say, and x[c, i] the noisy weight of item i,

    pooled[i] = sum over c of e[c] * x[c, i] / sum over c of e[c] ** 2

is the share of item i if all classes were alike, with noise of d / sqrt(sum of e[c] ** 2). It is replaced by its likely mean,
see `rare_items`. The share in a class departs from it as far as the noise of the class allows, if shares differ by `SPREAD` of
themselves between classes, or by more than `UNLIKE` standard deviations of that noise:

    share[c, i] = trust * x[c, i] / e[c] + (1 - trust) * pooled[i]
    trust = t / (t + (d / e[c]) ** 2)
    t = (SPREAD * pooled[i]) ** 2 + max(|x[c, i] / e[c] - pooled[i]| - UNLIKE * d / e[c], 0) ** 2

How many baskets have an item with this share of the weight, see `saturation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.sets.synthesis.rare_items import likely_means
from tacita.sets.synthesis.saturation import Sizes, places_of_items
from tacita.sets.synthesis.sizes import SizeGroups

__all__ = ["NoisyWeights"]


SPREAD, UNLIKE = 0.5, 3.0
_ROUNDS = 30


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyWeights:
    """Noisy weights of items (columns) in baskets of each class of sizes (rows), and what all baskets of a class weigh."""

    classes: SizeGroups
    values: Reals
    wholes: Reals
    deviation: float
    sizes: tuple[Sizes, ...] = ()
    """Of each class; without them, shares of the weight are taken as shares of all places in baskets."""

    @cached_property
    def pooled(self) -> Reals:
        """The likely share of each item, if it were the same in all classes."""
        return likely_means(self._together, deviation=self.deviation) / self._weight

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
