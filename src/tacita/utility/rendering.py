"""What all reports share: findings for a terminal and for scripts, checks on the two sides, and pictures of figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.counting.blocks.conversation import added_up
from tacita.errors import ParameterError, UniverseError
from tacita.pictures import Picture
from tacita.pictures.picture import percent
from tacita.pictures.ranked import Row, rows_plot
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.public.universe import Universe
from tacita.utility.count_queries import QueryError
from tacita.utility.preservation import PatternPreservation
from tacita.utility.verdict import Judged, Judgement

__all__ = [
    "OWNER_ONLY",
    "Distances",
    "OverUniverse",
    "Utility",
    "floor_pictures",
    "lists_of",
    "mean_length",
    "require_records",
    "require_share",
    "require_tops",
    "shapes_picture",
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


# Pictures of what was judged, of any kind: the floors of what matters most, and how far off each measure is.


def floor_pictures(found: Judgement) -> list[Picture]:
    """What matters most beside what nothing and the simplest release would give."""
    main = found.main
    rows = [("this release", main.off, "frel"), ("publish nothing", main.nothing, "fgrey")]
    simplest = f"simplest release: {found.simplest.partition(',')[0]}"
    rows.append((simplest, main.simplest, "fgood" if main.loses_to(main.simplest) else "fgrey"))
    drawn = [Row(name=name, value=value, words=percent(value), class_=style, cells=(value,)) for name, value, style in rows]
    about = f"{main.limits.what[:1].upper()}{main.limits.what[1:]}; lower is better. Simplest: {found.simplest}."
    return [rows_plot(f"{main.use}: {_beside_floors(main)}", drawn, about=about, columns=("", "off by"))]


def _beside_floors(main: Judged) -> str:
    """How the release stands beside its floors, in a few words; a floor that wins is named first."""
    if main.off >= main.nothing > 0:
        return "no better than publishing nothing"
    if main.loses_to(main.simplest):
        return "the simplest release beats this one"
    if not main.off:
        return "exact"
    times = min(main.nothing, main.simplest) / main.off
    if times < 1.5:
        return f"off by {percent(main.off)}, little better than a floor"
    return f"{min(times, 999):.0f} times nearer than either floor"


def shapes_picture(found: Judgement) -> Picture:
    """How far off each measure is, with the mark where care begins."""
    good = sum(each.off <= each.limits.good for each in found.measures)
    title = f"{good} of {len(found.measures)} measures are within their good limit"
    rows = [
        Row(
            name=each.use,
            value=min(each.off, 1.0),
            mark=min(each.limits.good, 1.0),
            words=percent(each.off),
            class_="frel" if each.off <= each.limits.good else "fgrey",
            cells=(each.off, each.nothing, each.simplest, each.limits.good, each.limits.care),
        )
        for each in found.measures
    ]
    about = "How far off each measure is. The mark is its good limit: beyond it, use with care."
    columns = ("measure", "off by", "nothing", "simplest", "good up to", "care up to")
    return rows_plot(title, rows, about=about, columns=columns, is_half=True)
