"""How many people have each whole basket."""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, chosen
from tacita.counting.local.tally import tally

__all__ = ["different_lists", "mask_counts"]


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
