"""Groups of basket sizes, and noisy numbers of baskets in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Booleans, Integers, Reals

__all__ = ["NoisySizes", "SizeGroups"]


DECREASE = 0.8
"""Within a group, each size is assumed to be this many times as frequent as the one before it."""

SIGNIFICANT = 4.0
"""A group of sizes counts towards the mean size from this many standard deviations of its noise on."""


@dataclass(frozen=True, eq=False)
class SizeGroups:
    """Groups of sizes: small sizes one by one, then groups that double in width; the last one holds all larger sizes."""

    least: Integers
    most: Integers

    @classmethod
    def doubling(cls, largest: int, *, exact: int, first: int = 1) -> SizeGroups:
        """The groups of sizes from `first` to `largest`; those up to `exact` have one size.

        >>> SizeGroups.doubling(20, exact=2).names()
        ['1', '2', '3 to 4', '5 to 8', '9 to 16', '17 or more']
        """
        least = list(range(first, min(exact, largest) + 1))
        while (start := least[-1] + 1 if least[-1] <= exact else 2 * least[-1] - 1) <= largest:
            least.append(start)
        return cls.starting(least, largest=largest)

    @classmethod
    def starting(cls, least: list[int], *, largest: int) -> SizeGroups:
        """Groups that start at these sizes, each up to the next; the last up to the largest."""
        most = [start - 1 for start in least[1:]] + [largest]
        return cls(np.array(least, dtype=np.int64), np.array(most, dtype=np.int64))

    def finer(self, parts: int) -> SizeGroups:
        """The same sizes, with each group in that many parts, or in its single sizes if it has fewer.

        >>> SizeGroups.doubling(20, exact=2).finer(2).names()
        ['1', '2', '3', '4', '5 to 6', '7 to 8', '9 to 12', '13 to 16', '17 to 18', '19 or more']
        """
        least: list[int] = []
        for first, width in zip(self.least.tolist(), (self.most - self.least + 1).tolist(), strict=True):
            own = min(width, parts)
            least += [first + width * part // own for part in range(own)]
        return SizeGroups.starting(least, largest=int(self.most[-1]))

    def joined(self, kept: Booleans) -> SizeGroups:
        """Only the kept groups, each with the groups up to the next kept one; the first begins where all begin."""
        least = self.least[kept].tolist()
        return SizeGroups.starting([int(self.least[0]), *least[1:]], largest=int(self.most[-1]))

    def sums(self, by_size: Reals) -> Reals:
        """The sum over each group of numbers that are given for sizes 0, 1, ..."""
        running = np.concatenate([[0.0], np.cumsum(by_size)])
        return np.asarray(running[self.most + 1] - running[self.least], dtype=np.float64)

    def names(self) -> list[str]:
        """Each group in words."""
        spans = list(zip(self.least.tolist(), self.most.tolist(), strict=True))
        inner = [str(least) if least == most else f"{least} to {most}" for least, most in spans[:-1]]
        return [*inner, f"{spans[-1][0]} or more"]

    def spread(self, numbers: Reals) -> Reals:
        """Numbers of groups as numbers of sizes from 0 to the largest: within a group, larger sizes are rarer."""
        sizes = np.zeros(int(self.most[-1]) + 1)
        for least, most, number in zip(self.least, self.most, numbers, strict=True):
            decreasing = DECREASE ** np.arange(most - least + 1)
            sizes[least : most + 1] = number * decreasing / decreasing.sum()
        return sizes


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisySizes:
    """How many baskets are in each group of sizes, all with noise of the same standard deviation."""

    groups: SizeGroups
    numbers: Reals
    deviation: float

    @property
    def baskets(self) -> float:
        """The total number of baskets."""
        return max(float(self.numbers.sum()), 0.0)

    @property
    def mean_size(self) -> float:
        """The mean size of a basket, by the groups that stand out from their noise; 1 if none does."""
        standing_out = np.where(self.numbers >= SIGNIFICANT * self.deviation, self.numbers, 0.0)
        middles = (self.groups.least + self.groups.most) / 2
        return float(standing_out @ middles / standing_out.sum()) if standing_out.any() else 1.0

    def joined_with(self, other: NoisySizes) -> NoisySizes:
        """Two answers about the same groups as one, each weighted by its precision."""
        own, others = self.deviation**-2, other.deviation**-2
        numbers = (own * self.numbers + others * other.numbers) / (own + others)
        return NoisySizes(groups=self.groups, numbers=numbers, deviation=(own + others) ** -0.5)

    def by_size(self) -> Reals:
        """The number of baskets of each size, from 0."""
        return self.groups.spread(self.numbers)

    def variances(self) -> Reals:
        """How uncertain each of these is: by the noise, and within a group of several sizes by the number itself."""
        by_size, alone = self.by_size(), np.zeros(int(self.groups.most[-1]) + 1, dtype=np.bool_)
        alone[self.groups.least[self.groups.least == self.groups.most]] = True
        return np.asarray(np.where(alone, 0.0, by_size**2) + self.deviation**2, dtype=np.float64)
