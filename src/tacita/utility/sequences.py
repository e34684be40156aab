"""The utility of released sequences, in one report.

The report is computed from raw data without noise. Passing it on means passing on private data: it is for the owner's eyes only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tacita.arrays.parts import changed
from tacita.arrays.ragged import Ragged
from tacita.privacy.release import Release
from tacita.sequences import PublishedSequences, SequenceRecords
from tacita.utility.count_queries import QueryKind, measure_queries
from tacita.utility.distributions import Distributions, measure_distributions
from tacita.utility.preservation import PatternKind, measure_patterns
from tacita.utility.rendering import Utility
from tacita.utility.sides import lists_of, mean_length, require_records, require_share, require_tops, universe_size
from tacita.utility.workloads import QueryWorkload

__all__ = ["PAPERS", "SequenceMeasures", "SequenceUtility", "report", "sections"]


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
        require_share(self.sanity_share)
        require_tops(self.tops)


PAPERS = SequenceMeasures()


class SequenceUtility(Utility[Distributions]):
    """How useful released sequences are. For the owner's eyes only."""


def report(
    records: SequenceRecords | Ragged,
    release: Release[PublishedSequences] | PublishedSequences | Ragged,
    *,
    symbols: int | None = None,
    measures: SequenceMeasures = PAPERS,
) -> SequenceUtility:
    """Compare a release with the records it was made from; both must have the same universe.

    `symbols`, the size of the universe, is needed only if neither side carries a universe.
    """
    published = release.data if isinstance(release, Release) else release
    size = universe_size(records, published, symbols=symbols)
    raw, released = (lists_of(side, held="sequences") for side in (records, published))
    require_records(raw)
    workloads = {QueryKind.LOCATION_SET: measures.set_queries, QueryKind.OCCURRENCES: measures.occurrence_queries}
    return SequenceUtility(
        raw_records=len(raw),
        released_records=len(released),
        raw_mean_length=mean_length(raw),
        released_mean_length=mean_length(released),
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
            for kind in (PatternKind.GAPPED, PatternKind.CONTIGUOUS)
        ),
    )


def sections(records: SequenceRecords, published: PublishedSequences) -> dict[str, SequenceUtility | None]:
    """What `tacita evaluate` compares: the labels and, in a release with times, also the visits."""
    if published.grid is None:
        return {"labels": report(records, published), "visits": None}
    size = len(published.universe)
    sides = (records.sequences, published.sequences)
    labels = [changed(side, partial(_labels, size)) for side in sides]
    return {
        "labels": report(labels[0], labels[1], symbols=size),
        "visits": report(*sides, symbols=size * published.grid.intervals),
    }


def _labels(size: int, visits: Ragged) -> Ragged:
    """Visits without their times."""
    return Ragged(visits.codes % size, visits.offsets)
