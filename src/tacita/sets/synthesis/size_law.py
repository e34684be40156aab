"""How many baskets there are of each size, from two noisy histograms of sizes: a coarse one and a fine one.

The coarse one says how many baskets there are in each group of sizes. The fine one says how they are spread within a group: the
group is halved again and again, and a half departs from its even share only if its noisy numbers do so beyond their noise. So a
table whose rows all have 23 cells keeps its one size, and a smooth tail stays smooth.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.arrays.simplex import on_simplex
from tacita.sets.synthesis.sizes import NoisySizes, SizeGroups

__all__ = ["numbers_by_size"]

Reals = npt.NDArray[np.float64]

LARGEST = 6.0
"""The largest sizes must stand out by this many standard deviations: a false one weighs as much as thousands of small baskets."""

LARGEST_OF_FEW = 4.0
"""The same if no size stands out as far, although all baskets together do."""

SMALLER = 2.0
"""All smaller sizes together are taken for none unless they stand out by this many standard deviations; and so are all sizes, if
none stands out alone."""

UNEVEN = 2.5
"""Two halves of a group differ if their noisy numbers do by this many standard deviations."""


def numbers_by_size(coarse: NoisySizes, fine: NoisySizes) -> Reals:
    """The estimated number of baskets of each size, from 0 to the largest; every fine group lies within a coarse one.

    If noise could explain every size, all baskets have size 1; if it could explain all baskets, there is one.
    """
    begins = np.searchsorted(fine.groups.least, coarse.groups.least)
    parts = np.diff(np.append(begins, fine.groups.least.size))
    own, sums = coarse.deviation**-2, fine.deviation**-2 / parts
    numbers = (own * coarse.numbers + sums * np.add.reduceat(fine.numbers, begins)) / (own + sums)
    numbers = _standing_out(coarse.groups, numbers, (own + sums) ** -0.5)
    widths = fine.groups.most - fine.groups.least + 1
    by_size = np.zeros(int(coarse.groups.most[-1]) + 1)
    for group in np.flatnonzero(numbers).tolist():
        inside = slice(int(begins[group]), int(begins[group] + parts[group]))
        shares = _spread(fine.numbers[inside], widths[inside].astype(np.float64), float(numbers[group]), fine.deviation)
        first, last = coarse.groups.least[group], coarse.groups.most[group]
        by_size[first : last + 1] = np.repeat(shares / widths[inside], widths[inside])
    return by_size


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


def _spread(noisy: Reals, widths: Reals, total: float, deviation: float) -> Reals:
    """Numbers of neighbouring fine groups that add up to the total, by halves."""
    if noisy.size == 1:
        return np.array([total])
    half = noisy.size // 2
    even = total * float(widths[:half].sum() / widths.sum())
    found = (total + float(noisy[:half].sum() - noisy[half:].sum())) / 2
    is_uneven = abs(found - even) > UNEVEN * deviation * noisy.size**0.5 / 2
    left = min(max(found, 0.0), total) if is_uneven else even
    sides = ((noisy[:half], widths[:half], left), (noisy[half:], widths[half:], total - left))
    return np.concatenate([_spread(*side, deviation) for side in sides])
