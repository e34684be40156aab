"""The most frequent contiguous patterns of lists in parts: all patterns of one length are counted in one pass over the parts.

The result is that of `mining.top_contiguous_patterns`. A pattern is never more frequent than what it extends, so only patterns
that reach the support of the `count`-th so far are followed; which ones is the same question for every part.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.counting.blocks.adding import added_up
from tacita.counting.local.grams import GramCounter
from tacita.mining import MAX_PATTERNS, Patterns
from tacita.mining.search import Search
from tacita.mining.weighted import LARGEST_SIZE, require_codes

__all__ = ["contiguous_in_parts"]

Followed = tuple[tuple[Integers, Integers], ...]
"""For each length, which groups of the length before it go on with which symbols."""


def contiguous_in_parts(
    lists: Ragged,
    *,
    count: int,
    symbols: int,
    min_length: int = 1,
    max_length: int | None = None,
    max_patterns: int = MAX_PATTERNS,
) -> Patterns:
    """Every pattern that occurs at least as often as the `count`-th; more than `count` if there are ties.

    >>> found = contiguous_in_parts(Ragged.from_lists([[0, 0, 0], [0, 1]]), count=2, symbols=2)
    >>> found.as_dict()
    {(0,): 4, (0, 0): 2}
    """
    search = Search(count=count, symbols=symbols, min_length=min_length, max_length=max_length, max_patterns=max_patterns)
    followed: Followed = ()
    patterns: list[tuple[int, ...]] = [()]
    found: list[tuple[tuple[int, ...], int]] = []
    bound = 1
    while patterns and not search.is_past(len(followed) + 1):
        groups, cells, supports = added_up(lists, partial(_extensions, followed, symbols))
        kept = np.flatnonzero(supports >= bound)
        extended = [(*patterns[group], cell) for group, cell in zip(groups[kept].tolist(), cells[kept].tolist(), strict=True)]
        if search.wants(len(followed) + 1):
            found += zip(extended, supports[kept].tolist(), strict=True)
            bound = _bound([support for _, support in found], count)
            found = [pair for pair in found if pair[1] >= bound]
            search.refuse_flood(len(found), bound)
        going = np.flatnonzero(supports[kept] >= bound)
        patterns = [extended[place] for place in going.tolist()]
        followed = (*followed, (groups[kept[going]], cells[kept[going]]))
    return Patterns.of(found)


def _bound(supports: list[int], count: int) -> int:
    """The support of the `count`-th pattern; 1 if there are fewer."""
    return 1 if len(supports) < count else int(np.partition(supports, len(supports) - count)[len(supports) - count])


def _extensions(followed: Followed, symbols: int, lists: Ragged) -> tuple[Integers, Integers, Integers]:
    """The groups of patterns that were followed, the symbols that come after them in one part, and how often."""
    require_codes(lists, symbols=symbols)
    counter = GramCounter(lists, symbols=symbols, max_length=LARGEST_SIZE)
    for groups, cells in followed:
        counter.follow(groups, cells)
    groups, cells, counts = counter.counts()
    inside = np.flatnonzero(cells < symbols)  # what is left stands at the end of its list
    return groups[inside], cells[inside], counts[inside]
