"""The error of count queries on a release.

The relative error of a query Q is |Q(release) - Q(raw)| / max(Q(raw), s). The sanity bound s, a share of the number of raw
records, keeps queries that hardly anybody matches from dominating the average; it is 0.1 % in all of the papers. The absolute
error is |Q(release) - Q(raw)|.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.parts import joined_lists
from tacita.arrays.ragged import Ragged
from tacita.counting.blocks.adding import added_up
from tacita.errors import ParameterError
from tacita.utility.containment import count_location_sets
from tacita.utility.occurrences import count_occurrences
from tacita.utility.workloads import QueryWorkload, itemsets, location_sequences, location_sets

__all__ = ["QueryError", "QueryKind", "measure_queries", "relative_errors"]


class QueryKind(StrEnum):
    """What a count query asks."""

    LOCATION_SET = "location set"
    OCCURRENCES = "occurrences"
    ITEMSET = "itemset"


_DRAW: dict[QueryKind, Callable[..., tuple[Ragged, ...]]] = {
    QueryKind.LOCATION_SET: location_sets,
    QueryKind.OCCURRENCES: location_sequences,
    QueryKind.ITEMSET: itemsets,
}
_ANSWER: dict[QueryKind, Callable[..., Integers]] = {
    QueryKind.LOCATION_SET: count_location_sets,
    QueryKind.OCCURRENCES: count_occurrences,
    QueryKind.ITEMSET: count_location_sets,
}


@dataclass(frozen=True, kw_only=True)
class QueryError:
    """How well one subset of a workload is answered."""

    kind: QueryKind
    max_length: int
    queries: int
    matched: int
    """How many of the queries have a raw answer above 0; an error of 0 on the others is easy to achieve."""
    average_relative_error: float
    average_absolute_error: float

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return {
            "kind": str(self.kind),
            "max_length": self.max_length,
            "queries": self.queries,
            "matched": self.matched,
            "average_relative_error": self.average_relative_error,
            "average_absolute_error": self.average_absolute_error,
        }


def relative_errors(raw: Integers, released: Integers, *, sanity_bound: float) -> Reals:
    """The relative error of each answer.

    >>> relative_errors(np.array([10, 0]), np.array([8, 1]), sanity_bound=2.0)
    array([0.2, 0.5])
    """
    if not 0 < sanity_bound < float("inf"):
        message = f"a sanity bound must be finite and above 0, got {sanity_bound}"
        raise ParameterError(message)
    return np.asarray(np.abs(released - raw) / np.maximum(raw, sanity_bound), dtype=np.float64)


def measure_queries(
    raw: Ragged,
    released: Ragged,
    *,
    symbols: int,
    kind: QueryKind,
    workload: QueryWorkload,
    sanity_share: float = 0.001,
) -> tuple[QueryError, ...]:
    """Draw a workload, answer it on both sides, and average the relative errors of each subset."""
    subsets = _DRAW[kind](workload, symbols=symbols)
    answer = partial(_ANSWER[kind], queries=joined_lists(subsets), symbols=symbols)  # at once, so that data is prepared once
    on_raw, on_released = (added_up(side, answer) for side in (raw, released))
    errors = relative_errors(on_raw, on_released, sanity_bound=sanity_share * len(raw))
    places = np.cumsum([len(subset) for subset in subsets])[:-1]
    return tuple(
        QueryError(
            kind=kind,
            max_length=max_length,
            queries=subset.size,
            matched=int(np.count_nonzero(on_raw[subset])),
            average_relative_error=float(errors[subset].mean()),
            average_absolute_error=float(np.abs(on_released[subset] - on_raw[subset]).mean()),
        )
        for max_length, subset in zip(workload.max_lengths, np.split(np.arange(errors.size), places), strict=True)
    )
