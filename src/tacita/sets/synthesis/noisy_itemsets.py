"""Noisy numbers of all itemsets of one order in baskets of one size, and what they say about itemsets of lower orders.

A basket of size s has C(s, k) itemsets of order k, and C(s - j, k - j) of them hold a given itemset of order j. So sums of the
numbers of order k give those of every lower order, and the number of baskets: none of these has to be asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb, sqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import all_itemsets, itemset_numbers, places_of
from tacita.privacy.funds import Funds

__all__ = ["NoisyItemsets", "members"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyItemsets:
    """One noisy number for each of the C(items, order) itemsets in baskets of exactly `size` items, asked for `funds`."""

    items: int
    size: int
    order: int
    values: Integers
    funds: Funds

    def implied(self, order: int) -> Reals:
        """The numbers of a lower order that these imply, or these themselves; unbiased."""
        values = self.values.astype(np.float64)
        if order == self.order:
            return values
        numbers = members(self.items, self.order, order)
        sums = np.bincount(numbers.ravel(), weights=np.repeat(values, numbers.shape[1]), minlength=comb(self.items, order))
        return np.asarray(sums / comb(self.size - order, self.order - order), dtype=np.float64)

    def deviation(self, order: int) -> float:
        """The standard deviation of the noise in each implied number, if it were Laplace noise; the discrete one has less."""
        return (
            self.funds.noise_of(comb(self.size, self.order))
            * sqrt(comb(self.items - order, self.order - order))
            / comb(self.size - order, self.order - order)
        )

    @property
    def baskets(self) -> float:
        """The number of baskets, by the sum of all numbers."""
        return float(self.values.sum(dtype=np.float64)) / comb(self.size, self.order)


@lru_cache(maxsize=64)
def members(items: int, size: int, order: int) -> Integers:
    """For each itemset of `size`, the numbers of the itemsets of one order that it contains: one row each."""
    rows = all_itemsets(items, size)
    columns = [itemset_numbers(rows[:, places], items=items) for places in places_of(size, order)]
    numbers = np.stack(columns, axis=1)
    numbers.setflags(write=False)
    return numbers
