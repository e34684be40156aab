"""The utility of released sequences, in one report.

It is computed from raw data without noise. Whoever passes it on passes on private data: it is for the owner's eyes only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacita.core.errors import ParameterError, UniverseError
from tacita.core.ragged import Ragged
from tacita.core.release import Release
from tacita.core.universe import Universe
from tacita.sequences import PublishedSequences, SequenceRecords
from tacita.utility.count_queries import QueryError, QueryKind, measure_queries
from tacita.utility.distributions import Distributions, measure_distributions
from tacita.utility.preservation import PatternKind, PatternPreservation, measure_patterns
from tacita.utility.workloads import QueryWorkload

__all__ = ["OWNER_ONLY", "PAPERS", "SequenceMeasures", "SequenceUtility", "report"]

OWNER_ONLY = "for the owner's eyes only: these figures are computed from raw data, without noise"


@dataclass(frozen=True, kw_only=True)
class SequenceMeasures:
    """What is measured; by default what the papers measure."""

    set_queries: QueryWorkload = QueryWorkload(longest=12, subsets=4)  # noqa: RUF009 - frozen
    occurrence_queries: QueryWorkload = QueryWorkload(longest=20, subsets=5)  # noqa: RUF009 - frozen
    sanity_share: float = 0.001
    tops: tuple[int, ...] = (20, 100, 300)
    min_pattern_length: int = 2
    max_pattern_length: int | None = None

    def __post_init__(self) -> None:
        """Check the share and the tops; the searches check the lengths."""
        if not 0 < self.sanity_share <= 1:
            message = f"sanity_share must be above 0 and at most 1, got {self.sanity_share!r}"
            raise ParameterError(message)
        if any(isinstance(count, bool) or not isinstance(count, int) or count < 1 for count in self.tops):
            message = f"tops must be whole numbers of at least 1, got {self.tops!r}"
            raise ParameterError(message)


PAPERS = SequenceMeasures()


@dataclass(frozen=True, kw_only=True)
class SequenceUtility:
    """How useful released sequences are. For the owner's eyes only."""

    raw_records: int
    released_records: int
    raw_mean_length: float
    released_mean_length: float
    distributions: Distributions
    queries: tuple[QueryError, ...]
    patterns: tuple[PatternPreservation, ...]

    def __str__(self) -> str:
        """Render for a terminal."""
        return "\n".join(_lines(self))

    def as_json(self) -> dict[str, object]:
        """The report for scripts, with the same warning."""
        return {
            "warning": OWNER_ONLY,
            "records": {"raw": self.raw_records, "released": self.released_records},
            "mean_length": {"raw": self.raw_mean_length, "released": self.released_mean_length},
            "distributions": self.distributions.as_json(),
            "queries": [query.as_json() for query in self.queries],
            "patterns": [pattern.as_json() for pattern in self.patterns],
        }


def report(
    records: SequenceRecords | Ragged,
    release: Release[PublishedSequences] | PublishedSequences | Ragged,
    *,
    symbols: int | None = None,
    measures: SequenceMeasures = PAPERS,
) -> SequenceUtility:
    """Compare a release with the records that it was made from, both over one universe.

    `symbols`, the size of the universe, is needed only where neither side brings a universe.
    """
    published = release.data if isinstance(release, Release) else release
    size = _universe_size(records, published, symbols)
    raw, released = (side if isinstance(side, Ragged) else side.sequences for side in (records, published))
    if not len(raw):
        message = "a report needs one raw record at least, got none: there is nothing to compare with"
        raise ParameterError(message)
    workloads = {QueryKind.LOCATION_SET: measures.set_queries, QueryKind.OCCURRENCES: measures.occurrence_queries}
    return SequenceUtility(
        raw_records=len(raw),
        released_records=len(released),
        raw_mean_length=_mean_length(raw),
        released_mean_length=_mean_length(released),
        distributions=measure_distributions(raw, released, symbols=size),
        queries=tuple(
            error
            for kind, workload in workloads.items()
            for error in measure_queries(
                raw, released, symbols=size, kind=kind, workload=workload, sanity_share=measures.sanity_share
            )
        ),
        patterns=tuple(
            measure_patterns(
                raw,
                released,
                symbols=size,
                kind=kind,
                counts=measures.tops,
                min_length=measures.min_pattern_length,
                max_length=measures.max_pattern_length,
            )
            for kind in PatternKind
        ),
    )


def _universe_size(records: SequenceRecords | Ragged, published: PublishedSequences | Ragged, symbols: int | None) -> int:
    """The size of the one universe of both sides."""
    universes: list[Universe] = [side.universe for side in (records, published) if not isinstance(side, Ragged)]
    if len(universes) == 2 and universes[0] != universes[1]:
        message = "records and release must have the same universe, with its labels in the same order; these two differ"
        raise UniverseError(message)
    size = len(universes[0]) if universes else symbols
    if size is None:
        message = "the number of symbols must be given where neither side brings a universe"
        raise ParameterError(message)
    if symbols is not None and symbols != size:
        message = f"symbols must be the size of the universe, {size}, got {symbols}"
        raise ParameterError(message)
    return size


def _mean_length(sequences: Ragged) -> float:
    return float(np.mean(sequences.lengths)) if len(sequences) else 0.0


def _lines(found: SequenceUtility) -> Iterator[str]:
    yield OWNER_ONLY
    yield ""
    yield f"{'':<22}{'raw':>14}{'released':>14}"
    yield f"{'records':<22}{found.raw_records:>14,}{found.released_records:>14,}"
    yield f"{'mean length':<22}{found.raw_mean_length:>14.3f}{found.released_mean_length:>14.3f}"
    yield ""
    yield "total variation distance (0 equal, 1 disjoint)"
    for name, distance in found.distributions.as_json().items():
        yield f"  {name:<20}{distance:>14.4f}"
    yield ""
    yield f"{'count queries':<22}{'up to':>8}{'queries':>10}{'matched':>10}{'average relative error':>26}"
    for query in found.queries:
        counts = f"{query.queries:>10,}{query.matched:>10,}"
        yield f"  {query.kind:<20}{query.max_length:>8}{counts}{query.average_relative_error:>26.4f}"
    yield ""
    yield f"{'most frequent patterns':<22}{'top':>8}{'true':>8}{'false':>8}{'dropped':>9}{'ratio':>9}{'utility loss':>14}"
    for pattern in found.patterns:
        for top in pattern.tops:
            counts = f"{top.true_positives:>8,}{top.false_positives:>8,}{top.false_drops:>9,}"
            yield f"  {pattern.kind:<20}{top.count:>8}{counts}{top.true_positive_ratio:>9.3f}{top.utility_loss:>14.4f}"
        for count in pattern.not_measured:
            yield f"  {pattern.kind:<20}{count:>8}  not measured: too many patterns tie"
