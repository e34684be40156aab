"""Baskets of each size from the noisy numbers of their itemsets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import TypeAlias

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.parts import RaggedInParts, copied, part_of_each, parts_for
from tacita.arrays.ragged import Ragged, chosen, lexicographic_order, offsets_of
from tacita.arrays.scatter import Stream, evenly_rounded
from tacita.privacy.publishing import refuse_flood
from tacita.sets.synthesis.candidates import candidates
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets
from tacita.sets.synthesis.pairs import likely_pairs, log_lifts
from tacita.sets.synthesis.weights import fitted_weights

__all__ = ["CountedRows", "Stratum", "baskets_of_rows", "made_in_parts", "strata_baskets"]


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


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Baskets of one size: different rows of increasing codes, in order, and how many baskets each of them stands for."""

    rows: Integers
    copies: Integers

    @classmethod
    def none(cls, size: int) -> CountedRows:
        """No baskets of a size."""
        return cls(np.zeros((0, size), dtype=np.int64), np.zeros(0, dtype=np.int64))

    @property
    def expanded(self) -> Integers:
        """One row per basket."""
        return np.repeat(self.rows, self.copies, axis=0)

    def part(self, number: int, parts: int) -> Integers:
        """One row per basket of one part."""
        return np.repeat(self.rows, part_of_each(self.copies, number, parts), axis=0)


def strata_baskets(strata: list[Stratum]) -> list[CountedRows]:
    """For each size, from small to large, the baskets of that size.

    Which items go together in large baskets is taken from smaller ones, if only these were asked for pairs.
    """
    rows: list[CountedRows] = []
    lifts = np.zeros(comb(strata[0].noisy.items, 2) if strata else 0)
    for stratum in strata:
        noisy, number = stratum.noisy, stratum.baskets
        if number:
            refuse_flood(number * noisy.size, in_parts=True)
            lifts = log_lifts(noisy, lifts, baskets=number)
            rows.append(_baskets(noisy, lifts, number))
        else:
            rows.append(CountedRows.none(noisy.size))
    return rows


def _baskets(noisy: NoisyItemsets, lifts: Reals, number: float) -> CountedRows:
    pool = candidates(noisy, lifts, baskets=number)
    pairs = likely_pairs(noisy, lifts, baskets=number) if 1 == noisy.order < noisy.size else None
    weights = fitted_weights(noisy, pool, baskets=number, borrowed_pairs=pairs)
    order = np.lexsort(pool.rows.T[::-1])
    copies = evenly_rounded(weights[order])
    kept = copies > 0
    return CountedRows(pool.rows[order[kept]], copies[kept])


Make: TypeAlias = Callable[[list[Integers], Stream, int], Ragged]
"""Whole baskets of rows of core items, by what scatters them, and in how many parts all are made."""


def made_in_parts(baskets: list[CountedRows], make: Make, *, symbols: float) -> Ragged:
    """Whole baskets of all these rows, in parts that are alike; `symbols` is about the sum of their sizes."""
    numbers = [baskets_of.copies for baskets_of in baskets]
    parts = parts_for(int(sum(copies.sum() for copies in numbers)))
    most = [int(sum(part_of_each(copies, part, parts).sum() for copies in numbers)) for part in range(parts)]
    return RaggedInParts(most, partial(_made_part, baskets, make, parts), symbols=symbols, is_exact=False)


def _made_part(baskets: list[CountedRows], make: Make, parts: int, number: int) -> Ragged:
    return make([baskets_of.part(number, parts) for baskets_of in baskets], Stream(number), parts)


def baskets_of_rows(baskets: list[CountedRows]) -> Ragged:
    """The baskets of all sizes, in the order of their codes."""
    lengths = [np.full(part.rows.shape[0], part.rows.shape[1], dtype=np.int64) for part in baskets]
    if not baskets:
        return Ragged.from_lists([])
    codes = np.concatenate([part.rows.ravel() for part in baskets]).astype(np.int32)
    different = Ragged(codes, offsets_of(np.concatenate(lengths)))
    order = lexicographic_order(different)
    return copied(chosen(different, order), np.concatenate([part.copies for part in baskets])[order])
