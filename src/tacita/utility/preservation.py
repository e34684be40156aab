"""How many of the most frequent patterns a release still shows.

The papers compare the K most frequent patterns of the raw data with those of the release (Chen et al., KDD 2012, section 3;
thesis, sections 4.4.1, 6.2.4 and 6.4.3). They do not say how ties are treated. Here:

- The *true* patterns are all those whose raw support is at least that of the K-th, so luck never decides a tie.
- The *listed* patterns are the first K of the release, ordered by support, then by code.
- A listed pattern that is true is a true positive; one that is not is a false positive. The shortfall of true positives from K
  (or from the number of patterns in the raw data, if that is smaller) counts as false drops; the true positive ratio has the same
  denominator.
- The utility loss is the average, over the true patterns, of |support - released support| / support; the released support is 0
  unless it is at least that of the K-th pattern in the release. The utility is 1 minus the loss: the metric of section 4.4.1,
  whose denominator K is the number of true patterns if there are no ties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from itertools import islice

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.parts import RaggedInParts
from tacita.arrays.ragged import Ragged
from tacita.counting.blocks.conversation import added_up
from tacita.counting.local.prefixes import GramCounter
from tacita.errors import TooManyPatternsError
from tacita.mining import MAX_PATTERNS, Patterns, top_contiguous_patterns, top_gapped_patterns, top_itemsets
from tacita.mining.search import Search
from tacita.mining.sequences import LARGEST_SIZE, require_codes
from tacita.public.parameters import Chosen

__all__ = ["PatternKind", "PatternPreservation", "PatternTop", "compare_tops", "contiguous_in_parts", "measure_patterns"]


# The most frequent contiguous patterns of lists in parts: all patterns of one length are counted in one pass over the parts.
#
# The result is that of `tacita.mining.top_contiguous_patterns`. A pattern is never more frequent than what it extends, so only
# patterns that reach the support of the `count`-th so far are followed; which ones is the same question for every part.


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


# The comparison of both sides.


PATTERN_LIMIT = 20_000


class PatternKind(StrEnum):
    """What a pattern is, and what its support counts."""

    GAPPED = "gapped"
    CONTIGUOUS = "contiguous"
    ITEMSET = "itemset"


_SEARCH: dict[PatternKind, Callable[..., Patterns]] = {
    PatternKind.GAPPED: top_gapped_patterns,
    PatternKind.CONTIGUOUS: top_contiguous_patterns,
    PatternKind.ITEMSET: top_itemsets,
}


@dataclass(frozen=True, kw_only=True)
class PatternTop:
    """What the release keeps of the `count` most frequent patterns."""

    count: int
    true_positives: int
    false_positives: int
    false_drops: int
    true_positive_ratio: float
    utility_loss: float

    @property
    def utility(self) -> float:
        """1 if every support is the same, 0 if all patterns are gone; negative if supports have more than doubled."""
        return 1 - self.utility_loss


@dataclass(frozen=True, kw_only=True)
class PatternPreservation:
    """The tops of one kind of pattern; tops with too many ties are named but not measured."""

    kind: Chosen[PatternKind] = Chosen(PatternKind)
    tops: tuple[PatternTop, ...]
    not_measured: tuple[int, ...]

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        tops = [asdict(top) for top in self.tops]
        return {"kind": str(self.kind), "tops": tops, "not_measured": list(self.not_measured)}


def compare_tops(raw: Patterns, released: Patterns, *, count: int) -> PatternTop:
    """Compare the `count` most frequent patterns of both sides; each side must have been searched for at least that many."""
    true, near = raw.top(count), released.top(count)
    listed = list(islice(near, count))
    wanted = min(count, len(raw))
    hits = sum(pattern in true for pattern in listed)
    losses = [abs(support - near.get(pattern, 0)) / support for pattern, support in true.items()]
    return PatternTop(
        count=count,
        true_positives=hits,
        false_positives=len(listed) - hits,
        false_drops=wanted - hits,
        true_positive_ratio=hits / wanted if wanted else 1.0,
        utility_loss=sum(losses) / len(losses) if losses else 0.0,
    )


def measure_patterns(  # noqa: PLR0913 - the data, and what a figure depends on
    raw: Ragged,
    released: Ragged,
    *,
    symbols: int,
    kind: PatternKind,
    counts: tuple[int, ...],
    min_length: int = 2,
    max_length: int | None = None,
) -> PatternPreservation:
    """Search both sides and compare every top; single symbols are left out unless `min_length` is 1, as in the papers."""
    ordered = sorted(set(counts))
    not_measured: list[int] = []
    while ordered:
        lengths = {"min_length": min_length, "max_length": max_length}
        limit = max(PATTERN_LIMIT, 2 * ordered[-1])
        try:
            sides = [
                _search(kind, side)(side, count=ordered[-1], symbols=symbols, max_patterns=limit, **lengths)
                for side in (raw, released)
            ]
        except TooManyPatternsError:
            not_measured.insert(0, ordered.pop())
            continue
        tops = tuple(compare_tops(*sides, count=count) for count in ordered)
        return PatternPreservation(kind=kind, tops=tops, not_measured=tuple(not_measured))
    return PatternPreservation(kind=kind, tops=(), not_measured=tuple(not_measured))


def _search(kind: PatternKind, side: Ragged) -> Callable[..., Patterns]:
    """How to search: contiguous patterns of lists in parts are counted part by part; for others, the lists are gathered."""
    in_parts = isinstance(side, RaggedInParts) and len(side.most) > 1
    return contiguous_in_parts if in_parts and kind is PatternKind.CONTIGUOUS else _SEARCH[kind]
