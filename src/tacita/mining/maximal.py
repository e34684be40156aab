"""Maximal frequent itemsets: those that are frequent although no larger set containing them is.

They stand for all frequent itemsets, and there are far fewer of them. The search is depth first with the pruning rules of MAFIA
(Burdick et al., ICDE 2001), on columns:

- An item that is in every basket of an itemset joins it at once, because every maximal set there has it.
- An itemset is skipped if, together with everything that can still extend it, it lies in one that was found before.

Items are tried from the rarest up, so that any set that contains an itemset without extending it was found before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.errors import TooManyPatternsError
from tacita.mining.baskets import BasketColumns, Projection, require_sets
from tacita.mining.patterns import Patterns
from tacita.mining.search import MAX_PATTERNS
from tacita.public.parameters import whole_number

__all__ = ["maximal_itemsets"]


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
