"""What a release of lists keeps of the raw ones, beside its floors: the same figures for sequences and for baskets."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.arrays.ragged import Ragged
from tacita.utility.count_queries import QueryKind, measure_queries
from tacita.utility.floors import Column
from tacita.utility.preservation import PatternKind, measure_patterns
from tacita.utility.workloads import QueryWorkload

__all__ = ["LONGEST", "QUERIES", "TOP", "Asked", "kept_columns"]

TOP, LONGEST = 100, 3
"""How many of the most frequent patterns are compared, and the size of the largest pattern and query."""

QUERIES, SANITY_SHARE = 4000, 0.001


def kept_columns(records: str, size: str) -> tuple[Column, ...]:
    """The columns of a comparison: how many records there are, how large they are, and what is kept."""
    return (
        Column(key=records, title=records, shown=",.0f"),
        Column(key=size.replace(" ", "_"), title=size, shown=".2f"),
        Column(key="found", title=f"top {TOP} found", shown=".2f", better=1),
        Column(key="lost", title="support lost", shown=".2f", better=-1),
        Column(key="error", title="query error", shown=".4f", better=-1),
    )


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Which queries and patterns are compared."""

    query: QueryKind
    pattern: PatternKind
    shortest: int
    queries: int = QUERIES

    def kept(self, raw: Ragged, released: Ragged, *, symbols: int) -> dict[str, float]:
        """The share of the most frequent patterns found, how much of their support is lost, and the error of random queries."""
        workload = QueryWorkload(longest=LONGEST, subsets=1, queries_each=self.queries)
        (answers,) = measure_queries(
            raw, released, symbols=symbols, kind=self.query, workload=workload, sanity_share=SANITY_SHARE
        )
        tops = measure_patterns(
            raw, released, symbols=symbols, kind=self.pattern, counts=(TOP,), min_length=self.shortest, max_length=LONGEST
        ).tops
        return {
            "found": tops[0].true_positive_ratio if tops else 0.0,
            "lost": tops[0].utility_loss if tops else 1.0,
            "error": answers.average_relative_error,
        }
