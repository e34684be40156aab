"""Counting items and itemsets of baskets by the size of the basket, on NumPy columns.

A basket has one size, so each size can be asked about with the whole budget. A basket that is too large for a question is cut by
a public rule that looks at this basket alone: it keeps the items that come first in a pseudo-random order, which differs from
basket to basket, so that no item is favoured.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.combinations import itemset_numbers, places_of
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.arrays.scatter import scattered
from tacita.counting.local.tally import tally

__all__ = ["BasketCounter", "cut_baskets"]


class BasketCounter:
    """Counts of one collection of baskets, each of which is a set of item codes below `items`; baskets may be empty."""

    def __init__(self, baskets: Ragged, *, items: int) -> None:
        """Take the baskets; the codes of each strictly increase."""
        self._baskets = baskets
        self._items = items
        self._sizes = baskets.lengths

    def sizes(self, least: Integers) -> tuple[Integers, Integers]:
        """How many baskets are in each group of sizes; group g holds the sizes from least[g] up to least[g + 1] - 1."""
        return tally(np.searchsorted(least, self._sizes, side="right") - 1, least.size)

    def shares(self, *, least: int, most: int | None, shared_from: int, whole: int) -> tuple[Integers, Integers]:
        """The weight of each item in baskets of these sizes; with s items, each weighs `whole` // max(s, `shared_from`)."""
        wanted = self._sizes >= least
        if most is not None:
            wanted &= self._sizes <= most
        codes, sizes = self._baskets.codes[np.repeat(wanted, self._sizes)], self._sizes[wanted]
        weights = np.repeat(whole // np.maximum(sizes, shared_from), sizes)
        return tally(codes.astype(np.int64), self._items, weights=weights)

    def onto(self, core: Integers) -> tuple[BasketCounter, BasketCounter]:
        """The same baskets with only the items of the core, by their index in it, and with only the other items."""
        place = np.full(self._items, -1, dtype=np.int64)
        place[core] = np.arange(core.size)
        places = place[self._baskets.codes]
        inside = places >= 0
        before = offsets_of(inside.astype(np.int64))[self._baskets.offsets]  # how many codes of the core come before each basket
        return (
            BasketCounter(Ragged(places[inside], before), items=core.size),
            BasketCounter(Ragged(self._baskets.codes[~inside], self._baskets.offsets - before), items=self._items),
        )

    def core_sizes(self, core: Integers, *, most: int, least: Integers) -> tuple[Integers, Integers]:
        """How many baskets have each number of core items (at most `most`) and group of sizes, as one number."""
        is_core = np.zeros(self._items, dtype=np.bool_)
        is_core[core] = True
        before = offsets_of(is_core[self._baskets.codes].astype(np.int64))[self._baskets.offsets]
        inside = np.diff(before)
        groups = np.searchsorted(least, self._sizes, side="right") - 1
        return tally(np.minimum(inside, most) * least.size + groups, (most + 1) * least.size)

    def cut(self, *, most: int) -> BasketCounter:
        """The same baskets, with those of more than `most` items cut."""
        return BasketCounter(cut_baskets(self._baskets, most=most), items=self._items)

    def itemsets(self, *, size: int, order: int, cells: int) -> tuple[Integers, Integers]:
        """How many baskets of exactly this size have each itemset of one order, by its number below `cells`."""
        begins = self._baskets.offsets[:-1][self._sizes == size]
        rows = self._baskets.codes[begins[:, np.newaxis] + np.arange(size)]
        table = np.zeros(cells, dtype=np.int64)
        for places in places_of(size, order):
            table += np.bincount(itemset_numbers(rows[:, places], items=self._items), minlength=cells)
        keys = np.flatnonzero(table)
        return keys.astype(np.int64, copy=False), table[keys]

    def column_pairs(self, begins: Integers) -> tuple[Integers, Integers]:
        """How many baskets with one item of each column have each pair of items; column c begins at `begins[c]`."""
        starts = self._baskets.offsets[:-1][self._sizes == begins.size]
        rows = self._baskets.codes[starts[:, np.newaxis] + np.arange(begins.size)].astype(np.int64)
        column = np.searchsorted(begins, rows, side="right") - 1
        rows = rows[(column == np.arange(begins.size)).all(axis=1)]
        table = np.zeros((self._items, self._items), dtype=np.int64)
        ends = np.append(begins[1:], self._items)
        for first, second in combinations(range(begins.size), 2):
            shape = int(ends[first] - begins[first]), int(ends[second] - begins[second])
            cells = (rows[:, first] - begins[first]) * shape[1] + rows[:, second] - begins[second]
            counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
            table[begins[first] : ends[first], begins[second] : ends[second]] = counts
        keys = np.flatnonzero(table)
        return keys.astype(np.int64, copy=False), table.ravel()[keys]


def cut_baskets(baskets: Ragged, *, most: int) -> Ragged:
    """Keep `most` items of each basket that has more, in an order that depends on this basket alone.

    >>> cut_baskets(Ragged.from_lists([[3, 5, 8, 9], [1, 2]]), most=2).lengths.tolist()
    [2, 2]
    """
    sizes = baskets.lengths
    is_large = sizes > most
    if not is_large.any():
        return baskets
    inside = np.flatnonzero(np.repeat(is_large, sizes))
    codes = baskets.codes[inside].astype(np.int64)
    starts = offsets_of(sizes[is_large])
    whole = np.add.reduceat(scattered(codes), starts[:-1])  # a sum of words: the same for the same basket, whatever is around it
    basket = np.repeat(np.arange(starts.size - 1), sizes[is_large])
    order = np.lexsort((scattered(codes.astype(np.uint64) ^ scattered(whole)[basket]), basket))
    rank = np.arange(inside.size) - starts[basket]
    kept = np.ones(baskets.codes.size, dtype=np.bool_)
    kept[inside[order[rank >= most]]] = False
    return Ragged(baskets.codes[kept], offsets_of(np.minimum(sizes, most)))
