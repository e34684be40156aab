"""Baskets as columns for the itemset search.

- Items that are too rare to matter are left out, and equal baskets become one with a weight.
- Items are numbered by frequency, the rarest first. An itemset is extended only by later items, so the parts that are walked
  most often (the ends of baskets with a frequent itemset) are short.
- A projection is the position of an itemset's last item in each basket that has the itemset. The items after it can extend it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.arrays.distinct import are_sets
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import ParameterError
from tacita.mining.weighted import Weighted, collapse, require_codes

__all__ = ["BasketColumns", "Projection", "item_supports", "require_sets"]


def require_sets(baskets: Ragged, *, symbols: int) -> None:
    """Refuse codes outside the universe, and baskets whose codes do not strictly increase."""
    require_codes(baskets, symbols=symbols)
    filled = Ragged(baskets.codes, baskets.offsets[np.append(True, baskets.lengths > 0)])  # an empty basket is a set too
    if not are_sets(filled):
        message = "the codes of every basket must strictly increase; some do not: sort the items of each and drop duplicates"
        raise ParameterError(message)


def item_supports(baskets: Ragged, *, symbols: int) -> Integers:
    """The number of baskets that contain each item."""
    return np.bincount(baskets.codes, minlength=symbols).astype(np.int64, copy=False)


class Projection:
    """Where an itemset ends in each basket that has it; the empty itemset ends nowhere, and any item can extend it."""

    def __init__(self, places: Numbers | None) -> None:
        """What follows the positions is computed on demand."""
        self.places = places
        self.following: Numbers | None = None
        self.groups: Integers | None = None


class BasketColumns:
    """Answers how itemsets can be extended, with items numbered from the rarest."""

    def __init__(self, baskets: Ragged, *, symbols: int, least: int) -> None:
        """Keep the items in at least `least` baskets; the caller must make sure that the baskets are sets."""
        supports = item_supports(baskets, symbols=symbols)
        self._baskets = len(baskets)
        by_frequency = np.argsort(supports, kind="stable")
        self.items = by_frequency[np.searchsorted(supports[by_frequency], max(1, least)) :]
        rank = np.full(symbols, -1, dtype=np.int32)
        rank[self.items] = np.arange(self.items.size, dtype=np.int32)
        weighted = collapse(_kept(baskets, rank >= 0), symbols=symbols)
        self._fill(weighted, rank)

    def _fill(self, weighted: Weighted, rank: Numbers) -> None:
        rows, lengths = weighted.sequences, weighted.sequences.lengths
        keys = np.repeat(np.arange(len(rows), dtype=np.int64) * self.items.size, lengths)
        first = keys.copy()
        keys += rank[rows.codes]
        keys.sort()
        keys -= first
        self._codes = keys.astype(np.uint16 if self.items.size <= 2**16 else np.int32)  # NumPy sorts 16-bit numbers by radix
        self._ends = np.repeat(rows.offsets[1:].astype(np.int32), lengths)
        self._weights = np.repeat(weighted.weights.astype(np.float64), lengths)  # exact below 2**53

    def __len__(self) -> int:
        """The number of baskets, which is the support of the empty itemset."""
        return self._baskets

    def start(self) -> Projection:
        """The projection of the empty itemset."""
        return Projection(None)

    def supports(self, projection: Projection) -> Integers:
        """The support of the itemset extended by each item."""
        following, weights = self._after(projection)
        return np.bincount(self._codes[following], weights=weights, minlength=self.items.size).astype(np.int64)

    def extend(self, projection: Projection, symbol: int) -> Projection:
        """The projection of the itemset extended by an item; the first call sorts what follows by item."""
        if projection.following is None or projection.groups is None:
            following, _ = self._after(projection)
            codes = self._codes[following]
            projection.following = following[np.argsort(codes, kind="stable")]
            projection.groups = offsets_of(np.bincount(codes, minlength=self.items.size))
        return Projection(projection.following[projection.groups[symbol] : projection.groups[symbol + 1]])

    def _after(self, projection: Projection) -> tuple[Numbers, Reals]:
        """Every position after the itemset, and the weights of their baskets."""
        if projection.places is None:
            return np.arange(self._codes.size, dtype=np.int32), self._weights
        begins = projection.places + np.int32(1)
        lengths = self._ends[projection.places] - begins
        ends = np.cumsum(lengths, dtype=np.int32)
        following = np.repeat(begins - (ends - lengths), lengths)
        following += np.arange(following.size, dtype=np.int32)
        return following, np.repeat(self._weights[projection.places], lengths)

    def named(self, found: Iterable[tuple[Iterable[int], int]]) -> list[tuple[tuple[int, ...], int]]:
        """Itemsets in the codes of the universe, in increasing order, with their supports."""
        items = self.items.tolist()
        return [(tuple(sorted(items[item] for item in itemset)), support) for itemset, support in found]


def _kept(baskets: Ragged, keep: Booleans) -> Ragged:
    """The baskets without the items that are not kept."""
    if keep.all():
        return baskets
    there = keep[baskets.codes]
    before = np.zeros(there.size + 1, dtype=np.int64)
    np.cumsum(there, out=before[1:])
    return Ragged(baskets.codes[there], before[baskets.offsets])
