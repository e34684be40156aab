"""Counting baskets on NumPy columns: items and itemsets by the size of the basket, whole baskets, and parts of a taxonomy.

A basket has one size, so each size can be asked about with the whole budget. A basket that is too large for a question is
truncated by a public rule that looks at this basket alone: it keeps the items that come first in a pseudo-random order, which
differs from basket to basket, so that no item is favoured.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.arrays import AnyIntegers, Integers
from tacita.arrays.ragged import Ragged, chosen, offsets_of, sets_of_masks
from tacita.arrays.scatter import itemset_numbers, places_of, scattered, tally

__all__ = ["BasketCounter", "PartitionCounter", "cut_baskets", "different_lists", "mask_counts"]


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

    def shares(
        self, *, least: int, most: int | None, shared_from: int, whole: int, squared: bool = False
    ) -> tuple[Integers, Integers]:
        """The weight of each item in baskets of these sizes; with s items, each weighs `whole` // m, m = max(s, `shared_from`).

        If `squared`, it weighs the root of `whole` ** 2 // m, rounded down, so that the squares add up to at most `whole` ** 2.
        """
        wanted = self._sizes >= least
        if most is not None:
            wanted &= self._sizes <= most
        codes, sizes = self._baskets.codes[np.repeat(wanted, self._sizes)], self._sizes[wanted]
        shared = np.maximum(sizes, shared_from)
        weights = np.repeat(_root_below(whole**2 // shared) if squared else whole // shared, sizes)
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


def _root_below(values: Integers) -> Integers:
    """The square root of numbers below 2^50, rounded down: a correctly rounded root cannot reach the next whole number."""
    return np.sqrt(values).astype(np.int64)


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


# Whole baskets: how many people have each.


def mask_counts(baskets: Ragged, *, items: int) -> tuple[Integers, Integers]:
    """How many baskets equal each set, as masks of `items` bits in increasing order; baskets are non-empty sets."""
    if not len(baskets):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    masks = np.bitwise_or.reduceat(np.int64(1) << baskets.codes.astype(np.int64), baskets.offsets[:-1])
    return tally(masks, 1 << items)


def different_lists(lists: Ragged, *, symbols: int, weights: Integers | None = None) -> tuple[Ragged, Integers]:
    """The distinct lists, short ones first, and by their codes within one length; and how many there are of each.

    Lists are compared position by position: two that agree so far stay together if their next codes agree. With weights, a list
    counts that many times.
    """
    lengths = lists.lengths
    kind = np.zeros(len(lists), dtype=np.int64)
    kinds = 1
    for place in range(int(lengths.max(initial=0))):
        going_on = np.flatnonzero(lengths > place)
        keys = kind[going_on] * symbols + lists.codes[lists.offsets[going_on] + place]
        different, inverse = np.unique(keys, return_inverse=True)
        kind[going_on] = inverse.reshape(-1) + kinds
        kinds += different.size
    _, first, inverse, counts = np.unique(kind, return_index=True, return_inverse=True, return_counts=True)
    if weights is not None:
        counts = np.zeros(first.size, dtype=np.int64)
        np.add.at(counts, inverse.reshape(-1), weights)
    return chosen(lists, first), counts.astype(np.int64)


# Partitions: baskets by the parts of a taxonomy in which they have items.

Ranges = Sequence[tuple[int, int]]

LOST = -1

MOST_MASKED = 24
"""Up to this many items, many people share a basket, so each distinct basket is found by a table and counted once."""


class PartitionCounter:
    """Knows the partition of every basket, and counts how the baskets of partitions split at a node of the taxonomy.

    All baskets begin in partition 0. A node is given by its children, each a range of positions (in the order in which the
    taxonomy lists the items). `counts` says in which children the baskets have items, as a mask with one bit per child. `keep`
    moves the baskets of kept masks on to partitions of their own; it finds the masks itself if `counts` did not just do so. A
    basket whose mask was not kept is no longer counted.
    """

    def __init__(self, baskets: Ragged, *, place_of: Integers) -> None:
        """Sort the items of all baskets in the order of the taxonomy; `place_of` gives the position of each code."""
        baskets, self._weights = _weighted(baskets, items=place_of.size)
        places = place_of[baskets.codes]
        order = np.argsort(places.astype(np.min_scalar_type(place_of.size)), kind="stable")
        numbers = np.int32 if len(baskets) < 2**31 else np.int64
        self._baskets = np.repeat(np.arange(len(baskets), dtype=numbers), baskets.lengths)[order]
        self._begin = offsets_of(np.bincount(places, minlength=place_of.size))
        self._partition = np.zeros(len(baskets), dtype=np.int64)
        self._mask = np.zeros(len(baskets), dtype=np.int64)
        self._turn = np.zeros(len(baskets), dtype=numbers)
        self._split: AnyIntegers = np.zeros(0, dtype=numbers)
        self._asked: tuple[tuple[int, int], ...] | None = None
        self._followed = self._listed = len(baskets)

    def counts(self, children: Ranges, partitions: Integers) -> tuple[Integers, Integers, Integers]:
        """How many baskets of each partition (by its index in the increasing `partitions`) have each mask."""
        self._split_at(children)
        places = np.searchsorted(partitions, self._partition[self._split])
        masks = 1 << len(children)
        weights = None if self._weights is None else self._weights[self._split]
        keys, counts = tally(places * masks + self._mask[self._split], partitions.size * masks, weights=weights)
        return keys // masks, keys % masks, counts

    def _split_at(self, children: Ranges) -> None:
        """Find the mask of each basket that has items in the children; known already if it was found and nothing moved since."""
        asked = tuple(children)
        if self._asked == asked:
            return
        self._mask[self._split] = 0
        self._asked = asked
        begin = self._begin[children[0][0]]
        here = self._baskets[begin : self._begin[children[-1][1]]]
        followed = self._partition[here] >= 0
        for bit, (first, last) in enumerate(children):
            part = slice(self._begin[first] - begin, self._begin[last] - begin)
            self._mask[here[part][followed[part]]] |= 1 << bit
        here = here[followed]
        self._turn[here] = np.arange(here.size, dtype=self._turn.dtype)
        self._split = here[self._turn[here] == np.arange(here.size, dtype=self._turn.dtype)]  # each basket once

    def keep(self, children: Ranges, partitions: Integers, *, kept: Integers, become: Integers) -> None:
        """Move baskets on: `kept` holds index and mask as one number (index times number of masks, plus mask), increasing."""
        self._split_at(children)
        places = np.searchsorted(partitions, self._partition[self._split])
        keys = places * (1 << len(children)) + self._mask[self._split]
        guess = np.minimum(np.searchsorted(kept, keys), max(kept.size - 1, 0))
        found = kept[guess] == keys if kept.size else np.zeros(keys.size, dtype=np.bool_)
        become_of = np.where(found, become[guess], LOST) if kept.size else np.full(keys.size, LOST)
        self._partition[self._split] = become_of
        self._mask[self._split] = 0
        self._split, self._asked = self._split[:0], None
        self._followed -= int((become_of == LOST).sum())
        if 2 * self._followed < self._listed:
            self._forget_lost()

    def _forget_lost(self) -> None:
        """Remove baskets that are no longer counted from the lists."""
        followed = self._partition[self._baskets] >= 0
        before = offsets_of(followed.astype(np.int64))
        self._begin = before[self._begin]
        self._baskets = self._baskets[followed]
        self._listed = self._followed


def _weighted(baskets: Ragged, *, items: int) -> tuple[Ragged, Integers | None]:
    """If there are few items, the distinct baskets with the number of people who have each; otherwise the baskets as they are."""
    if items > MOST_MASKED:
        return baskets, None
    masks, weights = mask_counts(baskets, items=items)
    return sets_of_masks(masks, symbols=items), weights
