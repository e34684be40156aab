"""Itemsets of one order as numbers: the combinatorial number system.

The itemset c_1 < c_2 < ... < c_k of items numbered from 0 has the number C(c_1, 1) + C(c_2, 2) + ... + C(c_k, k), so that all
itemsets of k out of n items are exactly the numbers below C(n, k), whatever n is.

Reference: Knuth, *The Art of Computer Programming*, volume 4A, section 7.2.1.3.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from tacita.arrays import AnyIntegers, Integers

__all__ = ["all_itemsets", "itemset_numbers", "places_of"]

Places = tuple[tuple[int, ...], ...]


def itemset_numbers(rows: AnyIntegers, *, items: int) -> Integers:
    """The number of each row; the items of a row must strictly increase.

    >>> itemset_numbers(np.array([[0, 1], [0, 2], [1, 2], [0, 3]]), items=4).tolist()
    [0, 1, 2, 3]
    """
    numbers = np.zeros(rows.shape[0], dtype=np.int64)
    for place in range(rows.shape[1]):
        numbers += _binomials(items, place + 1)[rows[:, place]]
    return numbers


@lru_cache(maxsize=64)
def all_itemsets(items: int, order: int) -> Integers:
    """All itemsets of `order` out of `items` items, each in the row of its number.

    >>> all_itemsets(3, 2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    listed = np.array(list(combinations(range(items), order)), dtype=np.int64).reshape(comb(items, order), order)
    rows = listed[np.lexsort(listed.T)] if order else listed
    rows.setflags(write=False)
    return rows


@lru_cache(maxsize=256)
def places_of(size: int, order: int) -> Places:
    """The column indices of every itemset of one order within a row of `size` items."""
    return tuple(combinations(range(size), order))


@lru_cache(maxsize=256)
def _binomials(items: int, order: int) -> Integers:
    table = np.array([comb(item, order) for item in range(max(items, 1))], dtype=np.int64)
    table.setflags(write=False)
    return table
