"""The most frequent itemsets, and the maximal frequent ones, found on columns of baskets.

The support of an itemset is the number of baskets that have all of its items (thesis, definition 4.2 and section 4.4.1). The
search for the most frequent ones is best first, so that only the requested itemsets are extended. The search for the maximal
ones is depth first, with the pruning rules of MAFIA (Burdick et al., ICDE 2001). Both work on `BasketColumns`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.arrays.ragged import Ragged, are_sets, offsets_of
from tacita.errors import ParameterError, TooManyPatternsError
from tacita.mining.search import MAX_PATTERNS, Patterns, Search
from tacita.mining.sequences import Weighted, collapse, require_codes
from tacita.public.parameters import whole_number

__all__ = ["BasketColumns", "Projection", "item_supports", "maximal_itemsets", "require_sets", "top_itemsets"]


# Baskets as columns, for both searches.
#
# - Items that are too rare to matter are left out, and equal baskets become one with a weight.
# - Items are numbered by frequency, the rarest first. An itemset is extended only by later items, so the parts that are walked
#   most often (the ends of baskets with a frequent itemset) are short.
# - A projection is the position of an itemset's last item in each basket that has the itemset. The items after it can extend
#   it.


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


def top_itemsets(
    baskets: Ragged,
    *,
    count: int,
    symbols: int,
    min_length: int = 1,
    max_length: int | None = None,
    max_patterns: int = MAX_PATTERNS,
) -> Patterns:
    """Every itemset whose support is at least that of the `count`-th; more than `count` if there are ties.

    The codes of every basket must strictly increase; those of the itemsets found do too.

    >>> top_itemsets(Ragged.from_lists([[0, 1, 2], [0, 2], [1]]), count=3, symbols=3).as_dict()
    {(0,): 2, (0, 2): 2, (1,): 2, (2,): 2}
    """
    search = Search(count=count, symbols=symbols, min_length=min_length, max_length=max_length, max_patterns=max_patterns)
    require_sets(baskets, symbols=symbols)
    columns = BasketColumns(baskets, symbols=symbols, least=_least(baskets, search))
    found = search.best_first(columns)
    return Patterns.of(columns.named(found.as_dict().items()))


def _least(baskets: Ragged, search: Search) -> int:
    """A lower bound on the support of the `count`-th itemset: that of the `count`-th item, if single items are wanted."""
    if not search.wants(1) or search.count > search.symbols:
        return 1
    supports = item_supports(baskets, symbols=search.symbols)
    return int(np.partition(supports, -search.count)[-search.count])


# Maximal frequent itemsets: those that are frequent although no larger set containing them is.
#
# They determine all frequent itemsets, and there are far fewer of them. The search prunes as MAFIA does, on columns:
#
# - An item that is in every basket of an itemset joins it at once, because every maximal set there has it.
# - An itemset is skipped if, together with everything that can still extend it, it lies in one that was found before.
#
# Items are tried from the rarest up, so that any set that contains an itemset without extending it was found before.


def maximal_itemsets(baskets: Ragged, *, min_support: int, symbols: int, max_patterns: int = MAX_PATTERNS) -> Patterns:
    """Every itemset that at least `min_support` baskets have, if no larger set containing it does.

    The codes of every basket must strictly increase; those of the itemsets found do too.

    >>> maximal_itemsets(Ragged.from_lists([[0, 1, 2], [0, 2], [1]]), min_support=2, symbols=3).as_dict()
    {(0, 2): 2, (1,): 2}
    """
    for name, value in (("min_support", min_support), ("symbols", symbols), ("max_patterns", max_patterns)):
        whole_number(value, name=name, least=1)
    require_sets(baskets, symbols=symbols)
    columns = BasketColumns(baskets, symbols=symbols, least=min_support)
    found = _Found(items=columns.items.size, limit=max_patterns)
    _depth_first(columns, min_support, found)
    return Patterns.of(columns.named(found.pairs))


class _Found:
    """Itemsets that were found; for each item, a number whose bits show which of them have it."""

    def __init__(self, *, items: int, limit: int) -> None:
        self.pairs: list[tuple[tuple[int, ...], int]] = []
        self._having = [0] * items
        self._limit = limit

    def add(self, itemset: tuple[int, ...], support: int) -> None:
        """Record an itemset, unless there are too many."""
        if len(self.pairs) == self._limit:
            message = (
                f"at most max_patterns = {self._limit:,} itemsets may be listed, but more are maximal; raise min_support or "
                "max_patterns"
            )
            raise TooManyPatternsError(message)
        bit = 1 << len(self.pairs)
        for item in itemset:
            self._having[item] |= bit
        self.pairs.append((itemset, support))

    def covers(self, items: Iterable[int]) -> bool:
        """Whether one of them has all of these items."""
        common = (1 << len(self.pairs)) - 1
        for item in items:
            common &= self._having[item]
            if not common:
                return False
        return True


@dataclass(frozen=True, eq=False)
class _Node:
    """An itemset, its support, and the frequent items that can still extend it, with the resulting supports."""

    itemset: tuple[int, ...]
    support: int
    tail: list[int]
    supports: list[int]
    projection: Projection


def _depth_first(columns: BasketColumns, min_support: int, found: _Found) -> None:
    """Record every maximal itemset."""
    open_nodes = [(_node(columns, min_support, (), len(columns), columns.start()), 0)]
    while open_nodes:
        node, place = open_nodes.pop()
        if found.covers((*node.itemset, *node.tail[place:])):
            continue  # and so is whatever would come later here
        if not node.tail:
            found.add(node.itemset, node.support)
            continue
        if place + 1 < len(node.tail):
            open_nodes.append((node, place + 1))
        itemset, projection = (*node.itemset, node.tail[place]), columns.extend(node.projection, node.tail[place])
        open_nodes.append((_node(columns, min_support, itemset, node.supports[place], projection), 0))


def _node(columns: BasketColumns, min_support: int, itemset: tuple[int, ...], support: int, projection: Projection) -> _Node:
    """The node of an itemset, after adding the items that all of its baskets have."""
    supports = columns.supports(projection)
    joined = [item for item in np.flatnonzero(supports == support).tolist() if item not in itemset]
    tail = np.flatnonzero((supports >= min_support) & (supports < support))
    return _Node((*itemset, *joined), support, tail.tolist(), supports[tail].tolist(), projection)
