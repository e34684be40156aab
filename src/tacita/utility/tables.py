"""How well a published table answers counting queries: how many people are within ranges of some columns.

A row that shows a range counts by the part of the range that a query covers, as if values were spread evenly over it. Every query
is built around somebody: it takes a random person's values in a given number of columns, a range around each that covers about
the given share of the column's values, and, in every second query, the person's sensitive value. So queries ask about values that
people have. Ranges drawn from the values alone would mostly ask about values that hardly anybody has, and a nearly empty release
would answer them well. For the same reason, the error of an empty release is shown beside every error. The report is for the
owner only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.errors import ParameterError
from tacita.public.parameters import whole_number
from tacita.seeded import PublicGenerator, public_generator
from tacita.tables.checking import groups_of
from tacita.tables.metrics import TableLoss, measure_table
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableRecords
from tacita.utility.rendering import OWNER_ONLY

__all__ = ["TableQueries", "TableUtility", "report", "sections"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TableQueries:
    """A workload of random range queries."""

    queries: int = 1000
    columns: int = 2
    share: float = 0.3
    seed: int = 0
    sanity_share: float = 0.001

    def __post_init__(self) -> None:
        """Check the numbers."""
        whole_number(self.queries, name="queries", least=1)
        whole_number(self.columns, name="columns", least=1)
        if not 0 < self.share <= 1 or not 0 < self.sanity_share <= 1:
            message = f"shares must be above 0 and at most 1, got {self.share} and {self.sanity_share}"
            raise ParameterError(message)


@dataclass(frozen=True, kw_only=True)
class TableUtility:
    """How useful a published table is. For the owner only."""

    loss: TableLoss | None
    """None for bucketized tables, which generalize nothing."""
    queries: int
    relative_error: float
    absolute_error: float
    absolute_error_of_nothing: float

    def __str__(self) -> str:
        """Render for a terminal."""
        nothing = 100 * self.absolute_error_of_nothing
        lines = [
            "",
            f"{'count queries':<24}{self.queries:>16,}",
            f"{'mean relative error':<24}{self.relative_error:>16.4f}  (1 for an empty release)",
            f"{'mean error, % of rows':<24}{100 * self.absolute_error:>16.4f}  ({nothing:.4f} for an empty release)",
        ]
        return "\n".join([OWNER_ONLY if self.loss is None else str(self.loss), *lines])

    def as_json(self) -> dict[str, object]:
        """The report for scripts, with the same warning."""
        return {
            "warning": OWNER_ONLY,
            "loss": None if self.loss is None else self.loss.as_json(),
            "queries": self.queries,
            "relative_error": self.relative_error,
            "absolute_error": self.absolute_error,
            "absolute_error_of_nothing": self.absolute_error_of_nothing,
        }


def report(
    records: TableRecords, published: PublishedTable | PublishedBuckets, *, queries: TableQueries | None = None
) -> TableUtility:
    """Compare a published table with the raw one."""
    if not len(records):
        message = "a report needs at least one raw row, got none: there is nothing to compare with"
        raise ParameterError(message)
    workload = TableQueries() if queries is None else queries
    generator = public_generator(workload.seed)
    truths, answers = np.zeros((2, workload.queries))
    boxes = _boxes(published)
    for number in range(workload.queries):
        ranges, value = _query(generator, records, workload, has_value=bool(number % 2))
        truths[number] = _raw_answer(records, ranges, value)
        answers[number] = _released_answer(boxes, ranges, value)
    errors = np.abs(answers - truths)
    return TableUtility(
        loss=measure_table(records, published) if isinstance(published, PublishedTable) else None,
        queries=workload.queries,
        relative_error=float((errors / np.maximum(truths, workload.sanity_share * len(records))).mean()),
        absolute_error=float(errors.mean()) / len(records),
        absolute_error_of_nothing=float(truths.mean()) / len(records),
    )


def _query(
    generator: PublicGenerator, records: TableRecords, workload: TableQueries, *, has_value: bool
) -> tuple[list[tuple[int, int, int]], int | None]:
    """Ranges of some columns, as column, first position and the one after the last; and a sensitive value or None."""
    sizes, person = records.schema.sizes, int(generator.integers(len(records)))
    ranges = []
    for place in np.sort(generator.permutation(len(sizes))[: workload.columns]).tolist():
        width = max(1, round(workload.share * sizes[place]))
        low = int(records.quasi[place][person]) - int(generator.integers(width))
        low = min(max(low, 0), sizes[place] - width)
        ranges.append((place, low, low + width))
    return ranges, int(records.sensitive[person]) if records.sensitive is not None and has_value else None


def _raw_answer(records: TableRecords, ranges: list[tuple[int, int, int]], value: int | None) -> int:
    inside = np.ones(len(records), dtype=np.bool_)
    for place, low, high in ranges:
        inside &= (records.quasi[place] >= low) & (records.quasi[place] < high)
    if value is not None and records.sensitive is not None:
        inside &= records.sensitive == value
    return int(np.count_nonzero(inside))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Boxes:
    """Groups of rows: the ranges each group shows, and how many of its rows have (or may have) each sensitive value."""

    lows: Integers
    highs: Integers
    weights: Floats


def _boxes(published: PublishedTable | PublishedBuckets) -> _Boxes:
    found, overall = groups_of(published)
    weights = np.zeros((found.sizes.size, overall.size))
    weights[found.groups, found.values] = found.counts
    if isinstance(published, PublishedTable):
        return _Boxes(lows=published.lows, highs=published.highs, weights=weights)
    places = np.stack(published.quasi, axis=1)
    return _Boxes(lows=places, highs=places + 1, weights=(weights / found.sizes[:, np.newaxis])[published.buckets])


def _released_answer(boxes: _Boxes, ranges: list[tuple[int, int, int]], value: int | None) -> float:
    rows = boxes.weights.sum(axis=1) if value is None else boxes.weights[:, value]
    for place, low, high in ranges:
        lows, highs = boxes.lows[:, place], boxes.highs[:, place]
        rows = rows * np.maximum(0, np.minimum(highs, high) - np.maximum(lows, low)) / (highs - lows)
    return float(rows.sum())


def sections(records: TableRecords, published: PublishedTable | PublishedBuckets) -> dict[str, TableUtility]:
    """What `tacita evaluate` compares."""
    return {"tables": report(records, published)}
