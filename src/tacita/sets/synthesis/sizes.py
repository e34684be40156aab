"""Groups of basket sizes, and noisy numbers of baskets in them.

How many baskets there are of each size, from two noisy histograms of sizes: a coarse one and a fine one.

The coarse one says how many baskets there are in each group of sizes. Within a group sizes are taken to rise and fall smoothly
towards its neighbours, and in the last group as they fell towards it. The fine one says where that is wrong: the group is halved
again and again, and a half departs from its likely share only if its noisy numbers do so beyond their noise. So a table whose
rows all have 23 cells keeps its one size, and a smooth tail stays smooth.

The sizes of baskets with a given number of core items.

Known are the noisy numbers of baskets by their number of core items and their group of sizes (a table), the number of baskets of
each size, and the number that was built with each number of core items. The table is fitted to both by iterative proportional
fitting (Deming and Stephan 1940); within a group, sizes are as frequent as in all baskets; no basket is smaller than its core.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.arrays.scatter import FIRST, Stream, evenly_rounded, on_simplex, scattered

__all__ = [
    "CoreSizes",
    "NoisySizes",
    "SizeGroups",
    "numbers_by_size",
]

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


LARGEST = 6.0
"""The largest sizes must stand out by this many standard deviations: a false one weighs as much as thousands of small baskets."""

LARGEST_OF_FEW = 4.0
"""The same if no size stands out as far, although all baskets together do."""

SMALLER = 2.0
"""All smaller sizes together are taken for none unless they stand out by this many standard deviations; and so are all sizes, if
none stands out alone."""

UNEVEN = 2.5
"""Two halves of a group depart from their likely shares if their noisy numbers do by this many standard deviations."""

STEEPEST = 4.0
"""The largest difference, of logarithms, between the numbers of baskets per size of two neighbouring groups that is followed."""


def numbers_by_size(coarse: NoisySizes, fine: NoisySizes) -> Reals:
    """The estimated number of baskets of each size, from 0 to the largest; every fine group lies within a coarse one.

    If noise could explain every size, all baskets have size 1; if it could explain all baskets, there is one.
    """
    begins = np.searchsorted(fine.groups.least, coarse.groups.least)
    parts = np.diff(np.append(begins, fine.groups.least.size))
    own, sums = coarse.deviation**-2, fine.deviation**-2 / parts
    numbers = (own * coarse.numbers + sums * np.add.reduceat(fine.numbers, begins)) / (own + sums)
    numbers = _standing_out(coarse.groups, numbers, (own + sums) ** -0.5)
    likely = _smooth(coarse.groups, numbers)
    weights, widths = fine.groups.sums(likely), fine.groups.most - fine.groups.least + 1
    by_size = np.zeros(likely.size)
    for group in np.flatnonzero(numbers).tolist():
        inside = slice(int(begins[group]), int(begins[group] + parts[group]))
        shares = _spread(fine.numbers[inside], weights[inside], float(numbers[group]), fine.deviation)
        sizes = slice(int(coarse.groups.least[group]), int(coarse.groups.most[group]) + 1)
        by_size[sizes] = likely[sizes] * np.repeat(shares / weights[inside], widths[inside])
    return by_size


def _smooth(groups: SizeGroups, numbers: Reals) -> Reals:
    """The likely number of baskets of each size, up to a factor for each group that has some; its logarithm is linear in between.

    From the middle of a group on, it goes towards the middle of the next group. Beyond the last one it falls on as before, and
    where there is no neighbour it is even.
    """
    least, most = groups.least.astype(np.float64), groups.most.astype(np.float64)
    middles, is_some = (least + most) / 2, numbers > 0
    logs = np.log(np.where(is_some, numbers, 1.0) / (most - least + 1))
    rises = np.clip(np.diff(logs), -STEEPEST, STEEPEST) / np.diff(middles)
    rises = np.where(is_some[1:] & is_some[:-1], rises, 0.0)
    before, after = np.append(0.0, rises), np.append(rises, 0.0)
    is_last = is_some & ~np.append(is_some[1:], False)
    after = np.where(is_last, np.minimum(before, 0.0), after)
    sizes = np.arange(int(groups.most[-1]) + 1)
    group = np.maximum(np.searchsorted(groups.least, sizes, side="right") - 1, 0)
    away = sizes - middles[group]
    return np.asarray(np.exp(np.where(away < 0, before[group], after[group]) * away) * (sizes >= groups.least[0]))


def _standing_out(groups: SizeGroups, numbers: Reals, deviations: Reals) -> Reals:
    """The numbers of groups without what noise alone could explain.

    The largest sizes are those of the last window of groups that stands out together. If its first group does so alone, all its
    baskets count in that group; otherwise they are spread over it as if sizes exceeded the least by half of it on average.
    """
    kept = np.zeros(numbers.size)
    running, variances = np.append(0.0, np.cumsum(numbers)), np.append(0.0, np.cumsum(deviations**2))
    total = float(running[-1])
    are_some = total >= SMALLER * variances[-1] ** 0.5
    for limit in (LARGEST, LARGEST_OF_FEW) if are_some else (LARGEST,):
        for group in range(numbers.size - 1, -1, -1):
            together, noise = running[group + 1 :] - running[group], np.sqrt(variances[group + 1 :] - variances[group])
            best = int(np.argmax(together / noise))
            if together[best] >= limit * noise[best]:
                alone = numbers[group] >= limit * deviations[group]
                kept[group:] = together[best] * (np.arange(numbers.size - group) == 0 if alone else _falling(groups, group))
                smaller = float(running[group])
                kept[:group] = on_simplex(numbers[:group], smaller if smaller >= SMALLER * variances[group] ** 0.5 else 0.0)
                return kept
    kept[0] = max(total, 1.0) if are_some else 1.0
    return kept


def _falling(groups: SizeGroups, first: int) -> Reals:
    """Shares of the groups from the first on, falling with size: exponential, with a mean of one and a half times the least."""
    least = groups.least[first:].astype(np.float64)
    above = np.exp(-(np.append(least, np.inf) - least[0]) / (least[0] / 2 + 1))
    return np.asarray(above[:-1] - above[1:], dtype=np.float64)


def _spread(noisy: Reals, weights: Reals, total: float, deviation: float) -> Reals:
    """Numbers of neighbouring fine groups that add up to the total, by halves; in proportion to the weights if noise allows."""
    if noisy.size == 1:
        return np.array([total])
    half = noisy.size // 2
    likely = total * float(weights[:half].sum() / weights.sum())
    found = (total + float(noisy[:half].sum() - noisy[half:].sum())) / 2
    is_uneven = abs(found - likely) > UNEVEN * deviation * noisy.size**0.5 / 2
    left = min(max(found, 0.0), total) if is_uneven else likely
    sides = ((noisy[:half], weights[:half], left), (noisy[half:], weights[half:], total - left))
    return np.concatenate([_spread(*side, deviation) for side in sides])


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
