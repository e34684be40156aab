"""Which items go together, as far as noisy numbers can be trusted.

Noise must not look like a preference: a pair moves away from what its items alone would give by as much as its number stands out
from its noise.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.arrays.combinations import all_itemsets
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets

__all__ = ["FLOOR", "item_shares", "likely_pairs", "log_lifts", "trust"]

Reals = npt.NDArray[np.float64]

FLOOR = 0.3
"""Numbers below this many standard deviations of their noise are taken for this many: nothing can be said about them."""

SPREAD_OF_LOGARITHMS = 2.0


def trust(numbers: Reals, deviation: Reals | float) -> Reals:
    """How far a noisy number is to be followed, from 0 to 1, if `numbers` are expected in its place.

    The precision of the logarithm of a noisy number, against a standard deviation of 2 of what is not known beforehand.
    """
    precision = (np.maximum(numbers, FLOOR * deviation) / deviation) ** 2
    return np.asarray(precision / (precision + SPREAD_OF_LOGARITHMS**-2), dtype=np.float64)


def item_shares(noisy: NoisyItemsets) -> Reals:
    """Which share of the baskets has each item: none has no chance, none is sure."""
    numbers = np.maximum(noisy.implied(1), FLOOR * noisy.deviation(1))
    return np.asarray(np.clip(numbers / numbers.sum() * noisy.size, 1e-9, 0.98), dtype=np.float64)


def log_lifts(noisy: NoisyItemsets, before: Reals, *, baskets: float) -> Reals:
    """By how much each pair is more frequent than its items alone would make it, as a logarithm.

    As far as these numbers can be trusted; for the rest, `before`, which is what smaller baskets have told.
    """
    if noisy.order == 1:
        return before
    alone, deviation = _pairs_alone(noisy, baskets), noisy.deviation(2)
    least = FLOOR * deviation
    found = np.log(np.maximum(noisy.implied(2), least) / np.maximum(alone, least))
    followed = trust(alone, deviation)
    return np.asarray(followed * found + (1 - followed) * before, dtype=np.float64)


def likely_pairs(noisy: NoisyItemsets, lifts: Reals, *, baskets: float) -> Reals:
    """How many baskets have each pair if items go together as the lifts say."""
    pairs = _pairs_alone(noisy, baskets) * np.exp(lifts)
    return np.asarray(pairs * (baskets * noisy.size * (noisy.size - 1) / 2 / pairs.sum()), dtype=np.float64)


def _pairs_alone(noisy: NoisyItemsets, baskets: float) -> Reals:
    """How many baskets would have each pair if items did not care for each other."""
    shares, pairs = item_shares(noisy), all_itemsets(noisy.items, 2)
    return np.asarray(baskets * shares[pairs[:, 0]] * shares[pairs[:, 1]] * (noisy.size - 1) / noisy.size, dtype=np.float64)
