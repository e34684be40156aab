"""How well a published table answers counting queries: how many people are within ranges of some columns.

A row that shows a range or a list counts by the part of it that a query covers, as if all its values were equally likely. Every
query is built around somebody: it takes a random person's values in a given number of columns, a range around each that covers
about the given share of the column's values, and, in every second query, the person's sensitive value. So queries ask about
values that people have. Ranges drawn from the values alone would mostly ask about values that hardly anybody has, and a nearly
empty release would answer them well. For the same reason, the error of an empty release is shown beside every error. The report,
and the pictures at the end, are for the owner only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tacita.arrays import Reals
from tacita.errors import ParameterError
from tacita.pictures import Picture
from tacita.pictures.squares import pair_maps
from tacita.public.parameters import whole_number
from tacita.seeded import PublicGenerator, public_generator
from tacita.tables.checking import TableLoss, groups_of, measure_table
from tacita.tables.pictures import Parts, columns_picture, crowd_picture, parts_of
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import CountedTable, TableRecords
from tacita.utility.floors import epsilon_of
from tacita.utility.marginals import Associations, MarginalDistances, marginal_distances
from tacita.utility.rendering import OWNER_ONLY, floor_pictures
from tacita.utility.verdict import Judged, Judgement

__all__ = ["TableQueries", "TableUtility", "floors_of", "judged", "links_picture", "pictures", "report", "sections"]


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
    """None for tables that generalize nothing: bucketized ones, and rows of values."""
    marginals: MarginalDistances | None
    """None for tables that show ranges or buckets."""
    queries: int
    relative_error: float
    absolute_error: float
    absolute_error_of_nothing: float
    relative_error_of_independent: float
    absolute_error_of_independent: float

    @property
    def is_better_than_independent(self) -> bool:
        """Whether the release is nearer to the truth than exact counts of single columns are."""
        return self.relative_error < self.relative_error_of_independent

    def __str__(self) -> str:
        """Render for a terminal."""
        nothing, alone = 100 * self.absolute_error_of_nothing, 100 * self.absolute_error_of_independent
        lines = [
            "",
            f"{'count queries':<24}{self.queries:>16,}",
            f"{'mean relative error':<24}{self.relative_error:>16.4f}  (1 for an empty release)",
            f"{'  of single columns':<24}{self.relative_error_of_independent:>16.4f}",
            f"{'mean error, % of rows':<24}{100 * self.absolute_error:>16.4f}  ({nothing:.4f} for an empty release)",
            f"{'  of single columns':<24}{alone:>16.4f}",
        ]
        if not self.is_better_than_independent:
            lines.append("counts of single columns, as if they were independent, answer these queries better than this release")
        if self.marginals is not None:
            lines += ["", str(self.marginals)]
        return "\n".join([OWNER_ONLY if self.loss is None else str(self.loss), *lines])

    def as_json(self) -> dict[str, object]:
        """The report for scripts, with the same warning."""
        return {
            "warning": OWNER_ONLY,
            "loss": None if self.loss is None else self.loss.as_json(),
            "marginals": None if self.marginals is None else self.marginals.as_json(),
            "queries": self.queries,
            "relative_error": self.relative_error,
            "absolute_error": self.absolute_error,
            "absolute_error_of_nothing": self.absolute_error_of_nothing,
            "relative_error_of_independent": self.relative_error_of_independent,
            "absolute_error_of_independent": self.absolute_error_of_independent,
        }


def report(
    records: CountedTable, published: PublishedTable | PublishedBuckets, *, queries: TableQueries | None = None
) -> TableUtility:
    """Compare a published table with the raw one, which is brought to memory."""
    records = records.in_memory()
    if not len(records):
        message = "a report needs at least one raw row, got none: there is nothing to compare with"
        raise ParameterError(message)
    workload = TableQueries() if queries is None else queries
    is_exact = isinstance(published, PublishedTable) and published.exact
    asked, truths = _asked(records, workload)
    boxes = _boxes(published)
    relative, absolute = _errors([_released_answer(boxes, *query) for query in asked], truths, workload, rows=len(records))
    columns = _Columns.of(records)
    alone = _errors([columns.answer(*query) for query in asked], truths, workload, rows=len(records))
    return TableUtility(
        loss=measure_table(records, published) if isinstance(published, PublishedTable) and not is_exact else None,
        marginals=marginal_distances(records, published) if isinstance(published, PublishedTable) and is_exact else None,
        queries=workload.queries,
        relative_error=relative,
        absolute_error=absolute,
        absolute_error_of_nothing=float(truths.mean()) / len(records),
        relative_error_of_independent=alone[0],
        absolute_error_of_independent=alone[1],
    )


def floors_of(records: TableRecords, *, queries: TableQueries, epsilon: float | None = None) -> dict[str, tuple[float, float]]:
    """The relative and absolute errors of the simplest releases: nothing, and how often each value of a column occurs.

    The latter has noise that shares epsilon among the columns; without one it is exact, and no release of it is better.
    """
    asked, truths = _asked(records, queries)
    columns = _Columns.of(records, epsilon)
    answers = {"independent": [columns.answer(*query) for query in asked], "nothing": [0.0] * len(asked)}
    return {name: _errors(given, truths, queries, rows=len(records)) for name, given in answers.items()}


MOST_PARTS = 2**16
"""The largest number of values, or parts, that a column is counted in."""

_Query = tuple[list[tuple[int, int, int]], int | None]


def _asked(records: TableRecords, workload: TableQueries) -> tuple[list[_Query], Reals]:
    """The queries of a workload and their true answers."""
    generator = public_generator(workload.seed)
    asked = [_query(generator, records, workload, has_value=bool(number % 2)) for number in range(workload.queries)]
    return asked, np.array([_raw_answer(records, *query) for query in asked], dtype=np.float64)


def _errors(answers: list[float], truths: Reals, workload: TableQueries, *, rows: int) -> tuple[float, float]:
    """The mean relative error, and the mean error as a share of all rows."""
    errors = np.abs(np.array(answers) - truths)
    return float((errors / np.maximum(truths, workload.sanity_share * rows)).mean()), float(errors.mean()) / rows


@dataclass(frozen=True, kw_only=True, eq=False)
class _Columns:
    """How often each value of each column occurs, as running shares; the last column is what is sensitive.

    A column of very many values is counted in equal parts, within which values are treated as equally frequent.
    """

    rows: int
    sizes: tuple[int, ...]
    running: tuple[Reals, ...]

    @classmethod
    def of(cls, records: TableRecords, epsilon: float | None = None) -> _Columns:
        """Count them, with noise if there is an epsilon."""
        sizes, columns = list(records.schema.sizes), list(records.quasi)
        if records.sensitive is not None and records.schema.sensitive is not None:
            sizes, columns = [*sizes, records.schema.sensitive.size], [*columns, records.sensitive]
        generator, running = public_generator(0), []
        for size, codes in zip(sizes, columns, strict=True):
            parts = min(size, MOST_PARTS)
            counts = np.bincount(codes * parts // size, minlength=parts).astype(np.float64)
            if epsilon is not None:
                counts = np.maximum(counts + generator.laplace(0, len(columns) / epsilon, parts), 0.0)
            running.append(np.append(0.0, np.cumsum(counts)) / max(float(counts.sum()), 1e-9))
        return cls(rows=len(records), sizes=tuple(sizes), running=tuple(running))

    def answer(self, ranges: list[tuple[int, int, int]], value: int | None) -> float:
        """The answer to a query if all columns were independent."""
        share = 1.0
        for place, low, high in ranges:
            share *= self._share(place, low, high)
        if value is not None:
            share *= self._share(-1, value, value + 1)
        return share * self.rows

    def _share(self, place: int, low: int, high: int) -> float:
        running, size = self.running[place], self.sizes[place]
        parts = running.size - 1
        begin, end = np.interp([low * parts / size, high * parts / size], np.arange(parts + 1), running)
        return float(end - begin)


def _query(generator: PublicGenerator, records: TableRecords, workload: TableQueries, *, has_value: bool) -> _Query:
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
    """Groups of rows: what each group shows, and how many of its rows have (or may have) each sensitive value."""

    table: PublishedTable
    weights: Reals


def _boxes(published: PublishedTable | PublishedBuckets) -> _Boxes:
    found, overall = groups_of(published)
    weights = np.zeros((found.sizes.size, overall.size))
    weights[found.groups, found.values] = found.counts
    if isinstance(published, PublishedTable):
        return _Boxes(table=published, weights=weights)
    places = np.stack(published.quasi, axis=1)
    people = PublishedTable(schema=published.schema, lows=places, highs=places + 1, groups=np.arange(places.shape[0]))
    return _Boxes(table=people, weights=(weights / found.sizes[:, np.newaxis])[published.buckets])


def _released_answer(boxes: _Boxes, ranges: list[tuple[int, int, int]], value: int | None) -> float:
    rows = boxes.weights.sum(axis=1) if value is None else boxes.weights[:, value]
    for place, low, high in ranges:
        rows = rows * boxes.table.within(place, low, high) / boxes.table.widths(place)
    return float(rows.sum())


def sections(records: CountedTable, published: PublishedTable | PublishedBuckets) -> dict[str, TableUtility]:
    """What `tacita evaluate` compares."""
    return {"tables": report(records, published)}


# What a release is good for, and pictures of it beside the raw table.


def judged(records: CountedTable, published: PublishedTable | PublishedBuckets, manifest: Mapping[str, Any]) -> Judgement:
    """What a report says: counts by two columns, each column, and which columns go together, beside the floors.

    The simplest release is each column on its own: with noise that shares epsilon among them, or exact if none was spent.
    """
    records = records.in_memory()
    found, workload, epsilon = report(records, published), TableQueries(), epsilon_of(manifest)
    simplest = floors_of(records, queries=workload, epsilon=epsilon)
    use, short = f"Counts by {workload.columns} columns together", f"counts by {workload.columns} columns"
    floors: dict[str, Any] = {"nothing": simplest["nothing"][0], "simplest": simplest["independent"][0]}
    measures = [Judged(use=use, short=short, measure="count", off=found.relative_error, **floors, is_main=True)]
    parts, sides = _parts(records, published)
    free = _noisy_shares(sides["raw"], len(records), None if epsilon is None else epsilon / len(parts))
    for place, part in enumerate(parts):
        raw, released = sides["raw"][place], sides["released"][place]
        off: dict[str, Any] = {"off": _apart(raw, released), "nothing": 1.0, "simplest": _apart(raw, free[place])}
        name = part.name
        measures.append(Judged(use=name, short=name, measure="column", group="columns", **off))
    if found.marginals is not None:
        measures.append(_links(found.marginals.associations))
    return Judgement(
        measures=measures,
        sizes=(len(records), len(published)),
        pieces="synthetic rows" if isinstance(published, PublishedTable) and published.exact else "rows",
        simplest="each column on its own, as if none depended on another",
        figures={"the table": found.as_json()},
        seen={"parts": parts, "sides": sides, "marginals": found.marginals},
        not_checked=() if epsilon is not None else NOT_CHECKED,
    )


NOT_CHECKED = (
    "What other releases about the same people tell together with this one.",
    "What somebody learns who knows how the groups were made, or other people's values.",
    "Whether somebody is in the table at all: this is not differential privacy.",
)
STRONG = 0.1
"""Two columns with at least this association go together."""


def _links(found: Associations) -> Judged:
    """Strong links that are lost or invented, as a share of those that are there on either side."""
    above = np.triu_indices(len(found.names), 1)
    raw, released = found.raw[above] >= STRONG, found.released[above] >= STRONG
    either, both, real = int((raw | released).sum()), int((raw & released).sum()), int(raw.sum())
    off = 1 - both / either if either else 0.0
    note = f"{both} of {real} real links are kept, {int(released.sum()) - both} are invented"
    nothing = float(real > 0)
    return Judged(
        use="Which columns go together",
        short="links between columns",
        measure="links",
        off=off,
        nothing=nothing,
        simplest=nothing,
        note=note,
    )


def _parts(records: TableRecords, published: PublishedTable | PublishedBuckets) -> tuple[list[Parts], dict[str, list[Reals]]]:
    """How each column is compared, and the share of rows in each part on both sides; a range counts as spread evenly."""
    schema = records.schema
    parts = [parts_of(column) for column in schema.all_columns]
    raw = [*records.quasi, *([] if records.sensitive is None else schema.hidden_codes(records.sensitive))]
    sides = {"raw": [part.shares(places) for part, places in zip(parts, raw, strict=False)]}
    made = []
    for place, part in enumerate(parts[: len(schema.quasi)]):
        if isinstance(published, PublishedBuckets):
            made.append(part.shares(published.quasi[place]))
            continue
        weights = published.sizes / np.maximum(published.widths(place), 1)
        counts = np.array(
            [float((published.within(place, int(low), int(high)) * weights).sum()) for low, high in pairwise(part.edges)]
        )
        made.append(counts / max(float(counts.sum()), 1.0))
    if published.sensitive is not None:
        hidden = schema.hidden_codes(published.sensitive)
        made += [part.shares(places) for part, places in zip(parts[len(schema.quasi) :], hidden, strict=True)]
    sides["released"] = made
    size = min(len(sides["raw"]), len(made))
    return parts[:size], {name: each[:size] for name, each in sides.items()}


def _noisy_shares(shares: Sequence[Reals], rows: int, epsilon: float | None) -> list[Reals]:
    """The shares of each column with noise, as the simplest release has them; exact if there is no epsilon."""
    if epsilon is None:
        return list(shares)
    generator, found = public_generator(0), []
    for each in shares:
        noisy = np.maximum(each * rows + generator.laplace(0, 1 / epsilon, each.size), 0.0)
        found.append(noisy / max(float(noisy.sum()), 1e-9))
    return found


def _apart(one: Reals, other: Reals) -> float:
    return float(np.abs(one - other).sum()) / 2


def pictures(records: CountedTable, published: PublishedTable | PublishedBuckets, *, found: Judgement) -> list[Picture]:
    """The floors, every column on both sides, and which go together; of groups, crowds on both sides and widths."""
    seen: Mapping[str, Any] = found.seen
    grades = {each.use: (str(each.grade), each.off) for each in found.measures if each.group}
    spread = " A range counts as spread evenly." if not (isinstance(published, PublishedTable) and published.exact) else ""
    drawn = [*floor_pictures(found), columns_picture(seen["parts"], seen["sides"], grades=grades, note=spread)]
    if seen["marginals"] is not None and len(seen["parts"]) > 1:
        return [*drawn, links_picture(seen["marginals"].associations)]
    records = records.in_memory()
    if isinstance(published, PublishedTable) and published.exact:
        return drawn
    _, raw = np.unique(np.stack(records.quasi, axis=1), axis=0, return_counts=True)
    released = np.bincount(published.buckets) if isinstance(published, PublishedBuckets) else published.sizes
    crowds = crowd_picture({"raw": raw.astype(np.int64), "released": released.astype(np.int64)})
    return [*drawn, crowds, *published.pictures()[1:]]


def links_picture(found: Associations) -> Picture:
    """Which columns go together on each side; links that are strong in the raw data are framed."""
    above = np.triu_indices(len(found.names), 1)
    raw, released = found.raw[above] >= STRONG, found.released[above] >= STRONG
    real, kept = int(raw.sum()), int((raw & released).sum())
    invented = int(released.sum()) - kept
    title = "No two columns go together, in neither the raw data nor the release"
    if real:
        title = f"{kept} of {real} real links between columns are kept" + (f", and {invented} are invented" if invented else "")
    elif invented:
        title = f"No two columns go together, but the release invents {invented} links"
    eye = np.eye(len(found.names))
    sides = {"raw": (found.raw - eye).tolist(), "released": (found.released - eye).tolist()}
    about = "How strongly two columns go together (Cramér's V, 0 to 1)."
    return pair_maps(title, sides, names=found.names, about=about, most=0.5, least=0.05, lit=STRONG)
