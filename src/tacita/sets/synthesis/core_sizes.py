"""The sizes of baskets with a given number of core items.

Known are the noisy numbers of baskets by their number of core items and their group of sizes (a table), the number of baskets of
each size, and the number that was built with each number of core items. The table is fitted to both by iterative proportional
fitting (Deming and Stephan 1940); within a group, sizes are as frequent as in all baskets; no basket is smaller than its core.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import FIRST, Stream, evenly_rounded, on_simplex, scattered
from tacita.sets.synthesis.sizes import SizeGroups

__all__ = ["CoreSizes"]


_ROUNDS = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class CoreSizes:
    """How many baskets have each number of core items (rows; the last counts larger ones too) and group of sizes (columns)."""

    groups: SizeGroups
    numbers: Reals
    deviation: float

    @property
    def by_core(self) -> Reals:
        """The number of baskets by their number of core items."""
        return np.asarray(self.numbers.sum(axis=1), dtype=np.float64)

    @property
    def variance(self) -> float:
        """That of the noise in each of these."""
        return self.deviation**2 * self.groups.least.size

    def sizes(self, built: list[int], by_size: Reals, *, stream: Stream = FIRST) -> list[Integers]:
        """A size for each of the baskets that were built with 0, 1, ... core items, in a scattered order."""
        table = self._fitted(np.array(built, dtype=np.float64), by_size)
        sizes = np.arange(by_size.size)
        found = []
        for inside, number in enumerate(built):
            allowed = sizes >= max(inside, 1)
            shares = self._within_groups(table[inside], np.where(allowed, by_size, 0.0))
            if not shares.any():
                shares[min(max(inside, 1), shares.size - 1)] = 1.0
            copies = evenly_rounded(shares / shares.sum() * number, start=stream.start)
            copies[int(np.argmax(shares))] += number - int(copies.sum())
            drawn = np.repeat(sizes, copies)
            found.append(drawn[np.argsort(scattered(np.arange(number), salt=stream.salt + inside), kind="stable")])
        return found

    def _fitted(self, built: Reals, by_size: Reals) -> Reals:
        """The table with the numbers of rows that were built, and columns as near to those of all sizes as that allows."""
        last = built.size - 1
        numbers = np.vstack([self.numbers[:last], self.numbers[last:].sum(axis=0, keepdims=True)])
        table = np.stack([on_simplex(row, max(float(row.sum()), 1.0)) for row in numbers]) + 1e-6
        table *= self.groups.most >= np.arange(built.size)[:, np.newaxis]
        columns = self.groups.sums(by_size)
        for _ in range(_ROUNDS):
            table *= columns / np.maximum(table.sum(axis=0), 1e-9)
            table *= (built / np.maximum(table.sum(axis=1), 1e-9))[:, np.newaxis]
        return table

    def _within_groups(self, row: Reals, by_size: Reals) -> Reals:
        shares = np.zeros(by_size.size)
        for first, last, number in zip(self.groups.least, self.groups.most, row, strict=True):
            inside = by_size[first : last + 1]
            if inside.any():
                shares[first : last + 1] = inside * (number / inside.sum())
        return shares
