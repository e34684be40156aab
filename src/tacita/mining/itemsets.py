"""The most frequent itemsets.

The support of an itemset is the number of baskets that have all of its items (thesis, definition 4.2 and section 4.4.1). The
search is best first, on columns (see `baskets`), so that only the requested itemsets are extended.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.mining.baskets import BasketColumns, item_supports, require_sets
from tacita.mining.patterns import Patterns
from tacita.mining.search import MAX_PATTERNS, Search

__all__ = ["top_itemsets"]


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
