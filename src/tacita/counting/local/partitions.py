"""Counting baskets by the parts of a taxonomy that they have items in, partition by partition, on NumPy columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.arrays import AnyIntegers, Integers
from tacita.arrays.distinct import sets_of_masks
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.counting.local.tally import tally
from tacita.counting.local.whole import mask_counts

__all__ = ["PartitionCounter"]


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
