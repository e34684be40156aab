"""Single columns: the ranges that a column of many values is cut into, the codes that rare values share, and the way back.

A column goes through three numberings. *Places* are its declared values. *Bins* are single places, or ranges of places where a
column has many of them: equal parts at first, of which those with many rows are cut where a noisy count tree finds values that
stand out, and neighbouring ones with few rows are joined. *Codes* are bins that stand out from the noise; all others share codes:
the lowest nodes of the column's taxonomy in which they stand out together, and one code for the rest. Marginals are counted by
codes. A row that was dealt a code gets one of its bins, by their noisy counts, and one of the places of that bin, by the noisy
counts of its leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import Coding, scattered, spread
from tacita.public.taxonomy import Taxonomy

__all__ = [
    "BINS",
    "STANDS_OUT",
    "Bins",
    "Codes",
    "Leaf",
    "cut_leaf",
    "equal_parts",
    "groups_of",
    "is_heavy",
    "joined_leaves",
    "levels_of",
    "merged",
    "single_places",
    "split_further",
    "widths_of",
]

FAN_OUT = 16
"""The parts of a range at each further level of the count tree; the first has twice as many as there are to be bins."""

BINS = 32
"""About how many bins a column of many values gets: a bin holds one row in this many, unless noise asks for more."""

STANDS_OUT = 3.0
"""A value or bin has a code of its own if its noisy count is this many deviations of its noise."""

SPLITS = 4.0
"""A range is cut further if its noisy count is this many deviations, so that noise alone hardly ever cuts one."""


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """A range of places that was not cut further, with its noisy count and the deviation of that."""

    begin: int
    end: int
    count: float
    deviation: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Bins:
    """The bins of a column: bin b has the places from begins[b] on; the last is for missing values, if they are a value.

    `leaves[b]` are the parts of a bin, in which places are equally likely.
    """

    places: int
    begins: Integers
    leaves: tuple[tuple[Leaf, ...], ...] = field(repr=False, default=())

    @property
    def size(self) -> int:
        """How many bins there are."""
        return int(self.begins.size)

    def placed(self, bins: Integers, *, salt: int) -> Integers:
        """A place for each row, given its bin."""
        if not self.leaves:
            return self.begins[bins]
        found = self.begins[bins]
        for number, leaves in enumerate(self.leaves):
            rows = np.flatnonzero(bins == number)
            if rows.size and leaves[-1].end - leaves[0].begin > 1:
                found[_mixed(rows, salt=salt)] = _within(leaves, rows.size, salt=salt)
        return found


def _within(leaves: Sequence[Leaf], rows: int, *, salt: int) -> Integers:
    """So many places of a bin, evenly, by the likely counts of its leaves."""
    widths = np.array([leaf.end - leaf.begin for leaf in leaves], dtype=np.float64)
    weights = _likely(leaves, widths)
    ends = np.cumsum(weights) / weights.sum()
    at = _even(rows, salt=salt + leaves[0].begin)
    which = np.minimum(np.searchsorted(ends, at, side="right"), len(leaves) - 1)
    share = (at - (ends - weights / weights.sum())[which]) / np.maximum((weights / weights.sum())[which], 1e-300)
    begins = np.array([leaf.begin for leaf in leaves], dtype=np.int64)[which]
    steps = np.clip(share * widths[which], 0, widths[which] - 1)
    return np.asarray(begins + steps.astype(np.int64), dtype=np.int64)


def _likely(leaves: Sequence[Leaf], widths: Reals) -> Reals:
    """The counts of leaves; those of one level are pulled toward an even spread as far as noise explains the difference."""
    counts, deviations = np.array([leaf.count for leaf in leaves]), np.array([leaf.deviation for leaf in leaves])
    for deviation in np.unique(deviations[deviations > 0]):  # each level has noise of its own
        own = deviations == deviation
        even = float(counts[own].sum()) * widths[own] / widths[own].sum()
        away = counts[own] - even
        excess = max(float((away**2).mean()) - float(deviation) ** 2, 0.0)
        counts[own] = even + away * excess / (excess + float(deviation) ** 2)
    return np.asarray(np.maximum(counts, 0.0) + _NOTHING * widths, dtype=np.float64)


_NOTHING = 1e-9


def _even(number: int, *, salt: int) -> Reals:
    """So many numbers between 0 and 1, evenly."""
    start = float(spread(np.zeros(1, dtype=np.int64), salt=salt)[0])
    return np.asarray((np.arange(number) + start) / max(number, 1), dtype=np.float64)


def _mixed(rows: Integers, *, salt: int) -> Integers:
    """The rows in a scattered order."""
    return np.asarray(rows[np.argsort(scattered(rows, salt=salt), kind="stable")], dtype=np.int64)


def single_places(places: int) -> Bins:
    """Every place is a bin."""
    return Bins(places=places, begins=np.arange(places, dtype=np.int64))


# Cutting a column of many values: equal parts, then heavy ones further, level after level.


def equal_parts(count: int, places: int) -> Bins:
    """Equal ranges of a column's values, and one bin for missing ones if there are more places than values."""
    width = widths_of(count)[0]
    begins = np.arange(0, count, width, dtype=np.int64)
    return Bins(places=places, begins=np.append(begins, count) if places > count else begins)


def widths_of(count: int) -> list[int]:
    """How wide the ranges of each level of a count tree over so many places are; those of the last are single places.

    >>> widths_of(5000)
    [79, 5, 1]
    """
    widths = [-(-count // (2 * BINS))]
    while widths[-1] > 1:
        widths.append(-(-widths[-1] // FAN_OUT))
    return widths


def split_further(leaf: Leaf, *, width: int) -> list[tuple[int, int]]:
    """The parts of a range, each `width` places long, or shorter at its end."""
    return [(begin, min(begin + width, leaf.end)) for begin in range(leaf.begin, leaf.end, width)]


def is_heavy(leaf: Leaf, rows: float, *, deviation: float) -> bool:
    """Whether a range holds so many rows that it is cut further, where counts of its parts have this deviation."""
    return leaf.end - leaf.begin > 1 and leaf.count >= max(SPLITS * deviation, rows / BINS)


def cut_leaf(leaf: Leaf, parts: Sequence[Leaf]) -> tuple[list[Leaf], list[Leaf]]:
    """The parts of a leaf that stand out, and what is left between them, which shares the rest of its count by width."""
    standing = [part for part in parts if part.count >= SPLITS * part.deviation]
    if not standing:
        return [], [leaf]
    begins, ends = [leaf.begin, *(part.end for part in standing)], [*(part.begin for part in standing), leaf.end]
    between = [(begin, end) for begin, end in zip(begins, ends, strict=True) if end > begin]
    width = max(sum(end - begin for begin, end in between), 1)
    rest = max(leaf.count - sum(part.count for part in standing), 0.0)
    shares = [(end - begin) / width for begin, end in between]
    return standing, [
        Leaf(begin=begin, end=end, count=rest * share, deviation=leaf.deviation * sqrt(share))
        for (begin, end), share in zip(between, shares, strict=True)
    ]


def joined_leaves(leaves: Sequence[Leaf], rows: float, *, places: int) -> Bins:
    """Runs of leaves that each hold about one row in `BINS` and stand out; a single place that does so alone stays alone."""
    enough = rows / BINS
    runs: list[list[Leaf]] = []
    run: list[Leaf] = []
    for leaf in sorted(leaves, key=lambda each: each.begin):
        is_alone = leaf.end - leaf.begin == 1 and leaf.count >= max(enough, STANDS_OUT * leaf.deviation)
        if is_alone and run:
            runs.append(run)
            run = []
        run.append(leaf)
        noise = sqrt(sum(each.deviation**2 for each in run))
        if is_alone or sum(each.count for each in run) >= max(enough, STANDS_OUT * noise):
            runs.append(run)
            run = []
    if run and runs and len(runs[-1]) > 1:
        runs[-1] = [*runs[-1], *run]
    elif run:
        runs.append(run)
    begins, count = [each[0].begin for each in runs], runs[-1][-1].end
    missing = [(Leaf(begin=count, end=places, count=0.0, deviation=0.0),)] if places > count else []
    return Bins(
        places=places,
        begins=np.array([*begins, *(leaf[0].begin for leaf in missing)], dtype=np.int64),
        leaves=(*map(tuple, runs), *missing),
    )


# Codes: which bins stand out.


@dataclass(frozen=True, kw_only=True, eq=False)
class Codes:
    """The code of each bin of a column, and the noisy counts of its bins, with their variances."""

    column: int
    bins: Bins
    of_bin: Integers
    counts: Reals = field(repr=False)
    spreads: Reals = field(repr=False)

    @property
    def size(self) -> int:
        """How many codes there are."""
        return int(self.of_bin.max()) + 1

    def coding(self, groups: Integers) -> Coding:
        """How places are counted by groups of codes."""
        return Coding(column=self.column, starts=self.bins.begins, codes=groups[self.of_bin], size=int(groups.max()) + 1)

    @property
    def noisy(self) -> Reals:
        """The noisy count of each code."""
        return np.asarray(np.bincount(self.of_bin, weights=self.counts, minlength=self.size), dtype=np.float64)

    @property
    def variances(self) -> Reals:
        """The variance of each of them."""
        return np.asarray(np.bincount(self.of_bin, weights=self.spreads, minlength=self.size), dtype=np.float64)

    def placed(self, codes: Integers, shares: Reals, *, salt: int) -> Integers:
        """A place for each row, given its code; `shares` says how many rows have each bin."""
        bins = np.zeros(codes.size, dtype=np.int64)
        for code in range(self.size):
            own, rows = np.flatnonzero(self.of_bin == code), np.flatnonzero(codes == code)
            if own.size == 1:
                bins[rows] = own[0]
            elif rows.size:
                weights = np.maximum(shares[own], 0.0) + 1e-9
                at = _even(rows.size, salt=salt + code)
                which = np.minimum(np.searchsorted(np.cumsum(weights) / weights.sum(), at, side="right"), own.size - 1)
                bins[_mixed(rows, salt=salt + 1)] = own[which]
        return self.bins.placed(bins, salt=salt + 2)


def merged(column: int, bins: Bins, counts: Reals, spreads: Reals, *, groups: Sequence[Sequence[int]] = ()) -> Codes:
    """Codes for the bins that stand out, for groups of others that do so together, and one for the rest.

    `spreads` are the variances of the counts; `groups` are sets of bins, smaller ones first: the nodes of a taxonomy, from below.
    """
    stands = counts >= STANDS_OUT * np.sqrt(spreads)
    if not stands.any():
        stands[np.argmax(counts)] = True
    codes = np.full(counts.size, -1, dtype=np.int64)
    codes[stands] = np.arange(int(stands.sum()))
    free = ~stands
    for group in groups:
        own = [place for place in group if free[place]]
        if len(own) > 1 and float(counts[own].sum()) >= STANDS_OUT * sqrt(float(spreads[own].sum())):
            codes[own] = codes.max() + 1
            free[own] = False
    if free.any():
        codes[free] = codes.max() + 1
    return Codes(column=column, bins=bins, of_bin=codes, counts=counts, spreads=spreads)


def groups_of(taxonomy: Taxonomy, place_of: Integers) -> list[list[int]]:
    """The places below each inner node of a taxonomy but the root, lower nodes first."""
    labels = len(taxonomy.universe)
    nodes = [node for node in taxonomy.from_below() if node >= labels and taxonomy.parents[node] >= 0]
    return [sorted(int(place_of[label]) for label in taxonomy.leaves(node)) for node in nodes]


def levels_of(taxonomy: Taxonomy, place_of: Integers) -> list[list[list[int]]]:
    """The places below each inner node but the root, by the depth of nodes, the lowest first."""
    labels, depths = len(taxonomy.universe), taxonomy.tree.depths
    found: dict[int, list[list[int]]] = {}
    for node in taxonomy.from_below():
        if node >= labels and taxonomy.parents[node] >= 0:
            below = sorted(int(place_of[label]) for label in taxonomy.leaves(node))
            found.setdefault(int(depths[node]), []).append(below)
    return [found[depth] for depth in sorted(found, reverse=True)]
