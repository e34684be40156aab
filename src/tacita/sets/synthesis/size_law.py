"""How many baskets there are of each size, from two noisy histograms of sizes: a coarse one and a fine one.

The coarse one says how many baskets there are in each group of sizes. Within a group sizes are taken to rise and fall smoothly
towards its neighbours, and in the last group as they fell towards it. The fine one says where that is wrong: the group is halved
again and again, and a half departs from its likely share only if its noisy numbers do so beyond their noise. So a table whose
rows all have 23 cells keeps its one size, and a smooth tail stays smooth.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Reals
from tacita.arrays.scatter import on_simplex
from tacita.sets.synthesis.sizes import NoisySizes, SizeGroups

__all__ = ["numbers_by_size"]


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
