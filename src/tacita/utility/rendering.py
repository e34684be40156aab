"""What all reports share: findings for a terminal and for scripts, checks on the two sides, and pictures of figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, Protocol, TypeVar

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.counting.blocks.conversation import added_up
from tacita.errors import ParameterError, UniverseError
from tacita.pictures import Axis, Bars, Line, Picture, bar_plot, line_plot
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.public.universe import Universe
from tacita.utility.count_queries import QueryError
from tacita.utility.preservation import PatternPreservation

__all__ = [
    "OWNER_ONLY",
    "Distances",
    "OverUniverse",
    "Utility",
    "lists_of",
    "mean_length",
    "measure_pictures",
    "require_records",
    "require_share",
    "require_tops",
    "universe_size",
]


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


# The two sides of a comparison, and checks on them.


class OverUniverse(Protocol):
    """Records or a release: something that carries its universe."""

    @property
    def universe(self) -> Universe:
        """The public labels."""
        ...


def universe_size(records: OverUniverse | Ragged, published: OverUniverse | Ragged, *, symbols: int | None) -> int:
    """The size of the universe that both sides share."""
    for side in (records, published):
        if not isinstance(side, Ragged) and not hasattr(side, "universe"):
            message = f"records and a release over a universe must be compared, got {type(side).__name__}"
            raise ParameterError(message)
    universes = [side.universe for side in (records, published) if not isinstance(side, Ragged)]
    if len(universes) == 2 and universes[0] != universes[1]:
        message = "records and release must have the same universe, with its labels in the same order; these two differ"
        raise UniverseError(message)
    size = len(universes[0]) if universes else symbols
    if size is None:
        message = "the number of symbols must be given, because neither side carries a universe"
        raise ParameterError(message)
    if symbols is not None and symbols != size:
        message = f"symbols must be the size of the universe, {size}, got {symbols}"
        raise ParameterError(message)
    return size


def require_records(raw: Ragged) -> None:
    """Refuse an empty raw side."""
    if not len(raw):
        message = "a report needs at least one raw record, got none: there is nothing to compare with"
        raise ParameterError(message)


def require_share(sanity_share: float) -> None:
    """Refuse anything that is not a share of the records."""
    if not 0 < sanity_share <= 1:
        message = f"sanity_share must be above 0 and at most 1, got {sanity_share!r}"
        raise ParameterError(message)


def require_tops(tops: tuple[int, ...]) -> None:
    """Refuse tops that cannot be numbers of patterns."""
    if any(isinstance(count, bool) or not isinstance(count, int) or count < 1 for count in tops):
        message = f"tops must be whole numbers of at least 1, got {tops!r}"
        raise ParameterError(message)


def mean_length(lists: Ragged) -> float:
    """The mean length of the lists; 0 if there are none."""
    return float(added_up(lists, _codes)[0] / len(lists)) if len(lists) else 0.0


def _codes(lists: Ragged) -> Integers:
    return np.array([lists.codes.size])


def lists_of(side: object, *, held: str) -> Ragged:
    """The lists of one side; an error if it is of another kind of data, which holds none by this name."""
    lists: Ragged | None = side if isinstance(side, Ragged) else getattr(side, held, None)
    if lists is None:
        message = f"{held} can be compared with {held} only, got {type(side).__name__}; choose the report for that kind of data"
        raise ParameterError(message)
    return lists


# Pictures of the figures that sequences and sets share: errors of queries, patterns that are kept, distances.


def measure_pictures(found: Utility[Distances]) -> list[Picture]:
    """One picture per kind of figure, with what an empty release would give where that is known."""
    distances = found.distributions.as_json()
    names = [name.replace("_", " ") for name in distances]
    drawn = [
        bar_plot(
            "How far the release is from the raw data: 0 % is the same, 100 % has nothing in common",
            names,
            [Bars(name="released", values=list(distances.values()))],
            unit="total variation distance",
            percent=True,
        )
    ]
    if found.queries:
        drawn.append(_queries(found))
    if any(pattern.tops for pattern in found.patterns):
        drawn.append(_patterns(found))
    return drawn


def _queries(found: Utility[Distances]) -> Picture:
    lines = []
    for kind, errors in groupby(found.queries, key=lambda query: str(query.kind)):
        some = list(errors)
        values = [error.average_relative_error for error in some]
        lines.append(Line(name=kind, xs=[error.max_length for error in some], values=values))
    title = "Count queries: the average relative error by the longest query; lower is better"
    return line_plot(title, lines, x=Axis(label="labels in a query, at most"), y=Axis(label="average relative error"))


def _patterns(found: Utility[Distances]) -> Picture:
    lines = [
        Line(
            name=str(pattern.kind),
            xs=[top.count for top in pattern.tops],
            values=[top.true_positive_ratio for top in pattern.tops],
        )
        for pattern in found.patterns
        if pattern.tops
    ]
    title = "The most frequent patterns: how many of them the release has too; higher is better"
    return line_plot(title, lines, x=Axis(label="most frequent patterns"), y=Axis(label="share found", percent=True))
