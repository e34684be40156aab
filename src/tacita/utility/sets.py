"""The utility of released sets, in one report, as section 4.4.1 of the thesis measures it.

The report is computed from raw data without noise. Passing it on means passing on private data: it is for the owner's eyes only.

What the thesis leaves open, and how it is settled here:

- Query lengths are uniform between 1 and i/5 of the largest basket. The thesis does not say how that is rounded; here it is
  rounded down, as for MSNBC (3, 6, 10, 13, 17). If the largest basket has fewer than 5 items, the longest query has 5, so that no
  subset is empty.
- "Each item is randomly drawn" from the universe, whether with or without replacement is not said. Here it is with replacement,
  and repeated items count once (see `workloads.itemsets`).
- The K most frequent itemsets include every size, even single items; ties at the K-th are not mentioned (see `preservation`).
- The thesis averages 10 runs but does not say of what. Here one release is measured, and averaging is left to the caller.
- Random queries over a large universe match next to nothing, so any small release answers them well. The number of queries with
  an answer above 0 is therefore reported next to the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.counting.blocks.adding import added_up
from tacita.mining.baskets import require_sets
from tacita.privacy.release import Release
from tacita.sets import BasketRecords, PublishedBaskets
from tacita.utility.count_queries import QueryKind, measure_queries
from tacita.utility.distributions import BasketDistributions, measure_basket_distributions
from tacita.utility.preservation import PatternKind, measure_patterns
from tacita.utility.rendering import Utility
from tacita.utility.sides import lists_of, mean_length, require_records, require_share, require_tops, universe_size
from tacita.utility.workloads import QueryWorkload

__all__ = ["THESIS", "SetMeasures", "SetUtility", "report", "sections"]

SUBSETS = 5


@dataclass(frozen=True, kw_only=True)
class SetMeasures:
    """What is measured; by default what the thesis measures."""

    queries: QueryWorkload | None = None
    """None means 5 subsets of 10,000 queries, up to the size of the largest raw basket."""
    sanity_share: float = 0.001
    tops: tuple[int, ...] = (20, 40, 60, 80, 100)
    min_itemset_size: int = 1
    max_itemset_size: int | None = None

    def __post_init__(self) -> None:
        """Check the share and the tops; the search checks the sizes."""
        require_share(self.sanity_share)
        require_tops(self.tops)

    def workload(self, raw: Ragged) -> QueryWorkload:
        """The queries that are asked."""
        if self.queries is not None:
            return self.queries
        sizes: Integers = added_up(raw, _sizes)[0]
        return QueryWorkload(longest=max(SUBSETS, int(sizes.max())), subsets=SUBSETS)


THESIS = SetMeasures()


class SetUtility(Utility[BasketDistributions]):
    """How useful released sets are. For the owner's eyes only."""


def report(
    records: BasketRecords | Ragged,
    release: Release[PublishedBaskets] | PublishedBaskets | Ragged,
    *,
    symbols: int | None = None,
    measures: SetMeasures = THESIS,
) -> SetUtility:
    """Compare a release with the records it was made from; both must have the same universe.

    `symbols`, the size of the universe, is needed only if neither side carries a universe.
    """
    published = release.data if isinstance(release, Release) else release
    size = universe_size(records, published, symbols=symbols)
    raw, released = (lists_of(side, held="baskets") for side in (records, published))
    require_records(raw)
    for side in (raw, released):
        added_up(side, partial(_checked, size))
    return SetUtility(
        raw_records=len(raw),
        released_records=len(released),
        raw_mean_length=mean_length(raw),
        released_mean_length=mean_length(released),
        distributions=measure_basket_distributions(raw, released),
        queries=measure_queries(
            raw,
            released,
            symbols=size,
            kind=QueryKind.ITEMSET,
            workload=measures.workload(raw),
            sanity_share=measures.sanity_share,
        ),
        patterns=(
            measure_patterns(
                raw,
                released,
                symbols=size,
                kind=PatternKind.ITEMSET,
                counts=measures.tops,
                min_length=measures.min_itemset_size,
                max_length=measures.max_itemset_size,
            ),
        ),
    )


def sections(records: BasketRecords, published: PublishedBaskets) -> dict[str, SetUtility]:
    """What `tacita evaluate` compares: the sets as they are."""
    return {"sets": report(records, published)}


def _sizes(baskets: Ragged) -> tuple[Integers, Integers]:
    """How many baskets have each size."""
    different, counts = np.unique(baskets.lengths, return_counts=True)
    return different, counts


def _checked(symbols: int, baskets: Ragged) -> list[int]:
    require_sets(baskets, symbols=symbols)
    return [len(baskets)]
