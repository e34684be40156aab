"""Baskets of each size from the noisy numbers of their itemsets."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, in_order, offsets_of
from tacita.arrays.scatter import evenly_rounded
from tacita.privacy.flood import refuse_flood
from tacita.sets.synthesis.candidates import candidates
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets
from tacita.sets.synthesis.pairs import likely_pairs, log_lifts
from tacita.sets.synthesis.weights import fitted_weights

__all__ = ["Stratum", "baskets_of_rows", "in_order", "strata_baskets"]

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


SIGNIFICANT = 2.0
"""Fewer baskets than this many standard deviations of their noise are taken for none."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Stratum:
    """The noisy itemsets of baskets of one size, and what an earlier question said about how many there are."""

    noisy: NoisyItemsets
    expected: float
    variance: float

    @property
    def baskets(self) -> float:
        """The number of baskets by both answers, each weighted by its precision; 0 if noise alone could explain it."""
        noisy = self.noisy
        own_variance = noisy.deviation(0) ** 2
        together = 1 / (1 / own_variance + 1 / self.variance)
        number = together * (noisy.baskets / own_variance + self.expected / self.variance)
        return number if number >= max(1.0, SIGNIFICANT * together**0.5) else 0.0


def strata_baskets(strata: list[Stratum]) -> list[Integers]:
    """For each size, from small to large, one row of increasing codes per basket, in the order of the rows.

    Which items go together in large baskets is taken from smaller ones, if only these were asked for pairs.
    """
    rows: list[Integers] = []
    lifts = np.zeros(comb(strata[0].noisy.items, 2) if strata else 0)
    for stratum in strata:
        noisy, number = stratum.noisy, stratum.baskets
        if number:
            refuse_flood(number * noisy.size)
            lifts = log_lifts(noisy, lifts, baskets=number)
            rows.append(_baskets(noisy, lifts, number))
        else:
            rows.append(np.zeros((0, noisy.size), dtype=np.int64))
    return rows


def _baskets(noisy: NoisyItemsets, lifts: Reals, number: float) -> Integers:
    pool = candidates(noisy, lifts, baskets=number)
    pairs = likely_pairs(noisy, lifts, baskets=number) if 1 == noisy.order < noisy.size else None
    weights = fitted_weights(noisy, pool, baskets=number, borrowed_pairs=pairs)
    order = np.lexsort(pool.rows.T[::-1])
    copies = evenly_rounded(weights[order])
    kept = copies > 0
    return np.repeat(pool.rows[order[kept]], copies[kept], axis=0)


def baskets_of_rows(rows: list[Integers]) -> Ragged:
    """The baskets of all sizes, in the order of their codes."""
    lengths = [np.full(part.shape[0], part.shape[1], dtype=np.int64) for part in rows]
    if not rows:
        return Ragged.from_lists([])
    codes = np.concatenate([part.ravel() for part in rows]).astype(np.int32)
    return in_order(Ragged(codes, offsets_of(np.concatenate(lengths))))
