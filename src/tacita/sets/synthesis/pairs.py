"""Which items go together, as far as noisy numbers can be trusted.

Noise must not look like a preference: the number of a pair departs from what its items alone predict only as far as it stands out
from its noise.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Reals
from tacita.arrays.scatter import all_itemsets
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets

__all__ = ["FLOOR", "item_shares", "likely_pairs", "log_lifts", "trust"]


FLOOR = 0.3
"""Numbers below this many standard deviations of their noise are raised to it, because they carry no information."""

SPREAD_OF_LOGARITHMS = 2.0


def trust(numbers: Reals, deviation: Reals | float) -> Reals:
    """How far to follow a noisy number, from 0 to 1, where `numbers` are expected.

    With r = numbers / deviation, the precision of the number's logarithm: r ** 2 / (r ** 2 + 1 / 4), for a prior deviation of 2.
    """
    precision = (np.maximum(numbers, FLOOR * deviation) / deviation) ** 2
    return np.asarray(precision / (precision + SPREAD_OF_LOGARITHMS**-2), dtype=np.float64)


def item_shares(noisy: NoisyItemsets) -> Reals:
    """The share of baskets that have each item, kept away from 0 and 1."""
    numbers = np.maximum(noisy.implied(1), FLOOR * noisy.deviation(1))
    return np.asarray(np.clip(numbers / numbers.sum() * noisy.size, 1e-9, 0.98), dtype=np.float64)


def log_lifts(noisy: NoisyItemsets, before: Reals, *, baskets: float) -> Reals:
    """The logarithm of how much more frequent each pair is than its items alone predict.

    Where these numbers cannot be trusted, `before` fills in: the values from smaller baskets.
    """
    if noisy.order == 1:
        return before
    alone, deviation = _pairs_alone(noisy, baskets), noisy.deviation(2)
    least = FLOOR * deviation
    found = np.log(np.maximum(noisy.implied(2), least) / np.maximum(alone, least))
    followed = trust(alone, deviation)
    return np.asarray(followed * found + (1 - followed) * before, dtype=np.float64)


def likely_pairs(noisy: NoisyItemsets, lifts: Reals, *, baskets: float) -> Reals:
    """The number of baskets with each pair, given the lifts."""
    pairs = _pairs_alone(noisy, baskets) * np.exp(lifts)
    return np.asarray(pairs * (baskets * noisy.size * (noisy.size - 1) / 2 / pairs.sum()), dtype=np.float64)


def _pairs_alone(noisy: NoisyItemsets, baskets: float) -> Reals:
    """The number of baskets with each pair if items were independent."""
    shares, pairs = item_shares(noisy), all_itemsets(noisy.items, 2)
    return np.asarray(baskets * shares[pairs[:, 0]] * shares[pairs[:, 1]] * (noisy.size - 1) / noisy.size, dtype=np.float64)
