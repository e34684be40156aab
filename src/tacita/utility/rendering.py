"""The findings of a comparison, for a terminal and for scripts; shared by all kinds of records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tacita.privacy.guarantee import OWNER_ONLY
from tacita.utility.count_queries import QueryError
from tacita.utility.preservation import PatternPreservation

__all__ = ["OWNER_ONLY", "Distances", "Utility"]


class Distances(Protocol):
    """Named distances between distributions."""

    def as_json(self) -> dict[str, float]:
        """The figures for scripts."""
        ...


DistancesT_co = TypeVar("DistancesT_co", bound=Distances, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Utility(Generic[DistancesT_co]):
    """How useful a release is. For the owner's eyes only."""

    raw_records: int
    released_records: int
    raw_mean_length: float
    released_mean_length: float
    distributions: DistancesT_co
    queries: tuple[QueryError, ...]
    patterns: tuple[PatternPreservation, ...]

    def __str__(self) -> str:
        """Render for a terminal."""
        return "\n".join(_lines(self))

    def as_json(self) -> dict[str, object]:
        """The report for scripts, with the same warning."""
        return _as_json(self)


def _as_json(found: Utility[Distances]) -> dict[str, object]:
    """The report for scripts, with the same warning."""
    return {
        "warning": OWNER_ONLY,
        "records": {"raw": found.raw_records, "released": found.released_records},
        "mean_length": {"raw": found.raw_mean_length, "released": found.released_mean_length},
        "distributions": found.distributions.as_json(),
        "queries": [query.as_json() for query in found.queries],
        "patterns": [pattern.as_json() for pattern in found.patterns],
    }


def _lines(found: Utility[Distances]) -> Iterator[str]:
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
    yield f"{'count queries':<22}{'up to':>8}{'queries':>10}{'matched':>10}{'average relative error':>26}{'absolute':>14}"
    for query in found.queries:
        counts = f"{query.queries:>10,}{query.matched:>10,}"
        errors = f"{query.average_relative_error:>26.4f}{query.average_absolute_error:>14,.2f}"
        yield f"  {query.kind:<20}{query.max_length:>8}{counts}{errors}"
    yield ""
    yield f"{'most frequent patterns':<22}{'top':>8}{'true':>8}{'false':>8}{'dropped':>9}{'ratio':>9}{'utility loss':>14}"
    for pattern in found.patterns:
        for top in pattern.tops:
            counts = f"{top.true_positives:>8,}{top.false_positives:>8,}{top.false_drops:>9,}"
            yield f"  {pattern.kind:<20}{top.count:>8}{counts}{top.true_positive_ratio:>9.3f}{top.utility_loss:>14.4f}"
        for count in pattern.not_measured:
            yield f"  {pattern.kind:<20}{count:>8}  not measured: too many patterns tie"
