"""Arithmetic that synthesis and counting share: even spreading without randomness, projection, tallies, numbers of itemsets.

Synthesis needs choices that are as spread out as random ones, but their privacy does not matter: the same noisy answers give
the same release. So integers are hashed by a fixed function (SplitMix64 of Steele, Lea and Flood, OOPSLA 2014). It is not a
source of entropy and must never be used as one. Rounding keeps running sums, so that amounts are spread evenly too.

The numbers of itemsets are those of the combinatorial number system (Knuth, *The Art of Computer Programming*, volume 4A,
section 7.2.1.3).

Codings: which code the places of a column are counted under, decided by public or noisy numbers only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Reals, Words

__all__ = [
    "FIRST",
    "Coding",
    "Stream",
    "all_itemsets",
    "evenly_rounded",
    "fits_table",
    "itemset_numbers",
    "on_simplex",
    "places_of",
    "scattered",
    "spread",
    "tally",
]

_STRIDE, _FIRST, _SECOND = 0x9E3779B97F4A7C15, np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class Stream:
    """What one part of a release is scattered by: every part has a salt and a start of its own."""

    number: int

    @property
    def salt(self) -> int:
        """Added to every salt."""
        return self.number << 40

    @property
    def start(self) -> float:
        """Where rounding begins: a half for the first, then in steps of the golden ratio."""
        return (0.5 + self.number * (5**0.5 - 1) / 2) % 1.0


FIRST = Stream(0)


def scattered(numbers: AnyIntegers, *, salt: int = 0) -> Words:
    """A 64-bit hash of each number; the same number and salt always give the same word."""
    words = numbers.astype(np.uint64) + np.uint64((salt + 1) * _STRIDE % 2**64)
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return np.asarray(words ^ (words >> np.uint64(31)), dtype=np.uint64)


def spread(numbers: AnyIntegers, *, salt: int) -> Reals:
    """The same hash as a fraction in [0, 1)."""
    return (scattered(numbers, salt=salt) >> np.uint64(11)).astype(np.float64) / 2**53


def evenly_rounded(amounts: Reals, *, start: float = 0.5) -> Integers:
    """Round to whole numbers so that each running sum is the rounded running sum of the amounts.

    It is rounded up from 1 - `start` on: over many starts between 0 and 1, each number comes out right on average.

    >>> evenly_rounded(np.array([0.4, 0.4, 0.4, 2.0])).tolist()
    [0, 1, 0, 2]
    """
    sums = np.floor(np.cumsum(amounts) + start).astype(np.int64)
    return np.concatenate([sums[:1], sums[1:] - sums[:-1]])


# Projection onto a simplex, for noisy counts whose sum is known more precisely than the counts themselves.


def on_simplex(values: Reals, total: float) -> Reals:
    """The nearest non-negative numbers that add up to `total`: shift all by one amount and cut them off at 0.

    >>> on_simplex(np.array([5.0, 2.0, -3.0]), 6.0).tolist()
    [4.5, 1.5, 0.0]
    """
    if total <= 0 or not values.size:
        return np.zeros_like(values)
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, values.size + 1)
    last = max(0, int((falling > excess).sum()) - 1)
    return np.asarray(np.maximum(values - excess[last], 0.0), dtype=np.float64)


# Tallies: how often each number occurs.
#
# Whether numbers are counted by a table or by sorting depends on sizes; it changes only speed and memory, never the result.

_TABLE_CELLS_PER_KEY = 16
_SUMMED_AT_ONCE = 2**24


def tally(cells: Integers, domain: int, *, weights: Integers | None = None) -> tuple[Integers, Integers]:
    """The distinct numbers, all from 0 to `domain` - 1, in order, and how often each occurs or how much it weighs.

    >>> [part.tolist() for part in tally(np.array([5, 2, 5]), 10)]
    [[2, 5], [1, 2]]
    """
    if weights is not None and fits_table(domain, cells.size):
        table = np.zeros(domain, dtype=np.int64)
        for start in range(0, cells.size, _SUMMED_AT_ONCE):  # sums of floats below 2**53 are exact
            part = slice(start, start + _SUMMED_AT_ONCE)
            table += np.bincount(cells[part], weights=weights[part], minlength=domain).astype(np.int64)
        keys = np.flatnonzero(table)
        return keys, table[keys]
    if weights is not None:
        keys, places = np.unique(cells, return_inverse=True)
        sums = np.zeros(keys.size, dtype=np.int64)
        np.add.at(sums, places.reshape(-1), weights)
        return keys, sums
    if fits_table(domain, cells.size):
        table = np.bincount(cells, minlength=domain)
        keys = np.flatnonzero(table)
        return keys, table[keys].astype(np.int64, copy=False)
    keys, counts = np.unique(cells, return_counts=True)
    return keys, counts.astype(np.int64, copy=False)


def fits_table(domain: int, keys: int) -> bool:
    """Whether a table over the whole domain is no larger than the data to count."""
    return domain <= _TABLE_CELLS_PER_KEY * keys + 2**16


# Itemsets of one order as numbers: the combinatorial number system.
#
# The itemset c_1 < c_2 < ... < c_k of items numbered from 0 has the number C(c_1, 1) + C(c_2, 2) + ... + C(c_k, k), so that all
# itemsets of k out of n items are exactly the numbers below C(n, k), whatever n is.

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


@dataclass(frozen=True, kw_only=True, eq=False)
class Coding:
    """Places of the column of this number, from starts[i] up to the next start, have the code codes[i], one of `size`.

    >>> Coding(column=0, starts=np.array([0, 3]), codes=np.array([1, 0]), size=2).of(np.array([0, 2, 3, 9])).tolist()
    [1, 1, 0, 0]
    """

    column: int
    starts: Integers
    codes: Integers
    size: int

    def of(self, places: AnyIntegers) -> Integers:
        """The code of each place."""
        if self.starts[-1] == self.starts.size - 1 and int(places.max(initial=0)) < self.starts.size:
            return np.asarray(self.codes[places], dtype=np.int64)  # every place has an entry of its own
        return np.asarray(self.codes[np.searchsorted(self.starts, places, side="right") - 1], dtype=np.int64)
