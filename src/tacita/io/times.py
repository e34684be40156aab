"""Times of events: numbers, ISO strings, time since 1970, or any pattern, converted to columns that sort by time.

Every value is converted on its own; one that does not fit the format is null, and its row is left out. A time with an offset is
an instant, and instants are compared in UTC. A time without one is what a clock showed: with a named zone it is an instant (an
hour that a clock showed twice means the first time), without a zone it is taken as UTC. Moments are read to the microsecond.

The parsers of moments come first; the formats of times, and the columns made by them, follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from tacita.errors import ParameterError
from tacita.io.values import LARGEST_EXACT, exact_text
from tacita.public.parameters import Chosen, instance_of
from tacita.public.time_grid import TimeGrid

__all__ = [
    "AutoTime",
    "EpochTime",
    "EpochUnit",
    "IsoTime",
    "PatternTime",
    "TimeFormat",
    "as_triples",
    "comparable_times",
    "grid_places",
    "in_zone",
    "iso_moments",
    "moments_by_pattern",
    "parse_time_format",
    "time_rule",
]


# Parsing moments: ISO dates and times in all their forms, any strptime pattern, and local times of a zone.

_ISO = (
    r"^(?<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[T ](?<clock>[0-9]{2}:[0-9]{2})(?::(?<seconds>[0-9]{2})(?:[.,](?<fraction>[0-9]{1,30}))?)?"
    r"(?<offset>[Zz]|(?<sign>[+-])(?<hours>[0-9]{2})(?::?(?<minutes>[0-9]{2}))?)?)?$"
)
_PLAIN_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?$"
_QUICK = {10: "%Y-%m-%d", 16: "%Y-%m-%d{}%H:%M", 19: "%Y-%m-%d{}%H:%M:%S"}


def iso_moments(times: pl.Series, zone: str | None) -> pl.Series:
    """Moments from a column of dates or datetimes, or from ISO strings; null where a value is none."""
    if times.dtype == pl.String:
        quick = _all_alike(times)
        return _iso_by_parts(times, zone) if quick is None else in_zone(quick, zone)
    if times.dtype == pl.Date:
        times = times.cast(pl.Datetime("us"))
    if isinstance(times.dtype, pl.Datetime):
        return in_zone(times.cast(pl.Datetime("us", times.dtype.time_zone)), zone)
    return _no_moments(times)


def _no_moments(times: pl.Series) -> pl.Series:
    return pl.Series(times.name, [None], dtype=pl.Datetime("us")).new_from_index(0, len(times))


def _iso_by_parts(times: pl.Series, zone: str | None) -> pl.Series:
    """Moments from ISO strings of any form, with or without offsets."""
    parts = times.str.extract_groups(_ISO).struct
    day, clock, seconds, fraction = (parts.field(name) for name in ("day", "clock", "seconds", "fraction"))
    moments = moments_by_pattern(day + "T" + clock.fill_null("00:00") + ":" + seconds.fill_null("00"), "%Y-%m-%dT%H:%M:%S")
    hours, minutes = (parts.field(name).fill_null("0").cast(pl.Int64) for name in ("hours", "minutes"))
    good = moments.is_not_null() & (hours < 24) & (minutes < 60)
    micros = moments.cast(pl.Int64) + (fraction.fill_null("") + "000000").str.slice(0, 6).cast(pl.Int64)
    micros = micros.set(~good, None)
    has_offset = parts.field("offset").is_not_null()
    shown = in_zone(micros.cast(pl.Datetime("us")), zone)
    if not bool(has_offset.any()):
        return shown
    ahead = (parts.field("sign").fill_null("+") + "1").cast(pl.Int64) * (hours * 60 + minutes) * 60_000_000
    return (micros - ahead).cast(pl.Datetime("us")).zip_with(has_offset, shown)


def _all_alike(strings: pl.Series) -> pl.Series | None:
    """Moments from strings that all have the form of the first, without offset or fraction; eight times as fast."""
    first = "" if strings.is_empty() else str(strings[0])
    if len(first) not in _QUICK or first[10:11] not in {"", "T", " "} or not bool((strings.str.len_bytes() == len(first)).all()):
        return None
    if strings.null_count() or not bool(strings.str.contains(_PLAIN_ISO).all()):
        return None  # strptime would accept a space or a sign as a digit
    moments = moments_by_pattern(strings, _QUICK[len(first)].format(first[10:11]))
    return moments if moments.null_count() == 0 else None


def moments_by_pattern(strings: pl.Series, pattern: str) -> pl.Series:
    """Moments by a pattern, null where a string does not match it."""
    try:
        return strings.str.strptime(pl.Datetime("us"), pattern, strict=False, cache=False)
    except pl.exceptions.PolarsError:
        return pl.Series(strings.name, [None] * len(strings), dtype=pl.Datetime("us"))


def in_zone(moments: pl.Series, zone: str | None) -> pl.Series:
    """Moments in UTC: local times of a zone, null where its clocks did not show them; without a zone, local times as they are."""
    own = moments.dtype.time_zone if isinstance(moments.dtype, pl.Datetime) else None
    if own is not None:
        return moments.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if zone is None:
        return moments
    instants = moments.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    return instants.dt.convert_time_zone("UTC").dt.replace_time_zone(None)


class EpochUnit(StrEnum):
    """The unit of a number since 1 January 1970 (UTC)."""

    SECONDS = "s"
    MILLISECONDS = "ms"
    MICROSECONDS = "us"
    NANOSECONDS = "ns"

    @property
    def in_a_second(self) -> int:
        """How many of them make a second."""
        return {EpochUnit.SECONDS: 1, EpochUnit.MILLISECONDS: 10**3, EpochUnit.MICROSECONDS: 10**6}.get(self, 10**9)


@dataclass(frozen=True, kw_only=True)
class AutoTime:
    """Numbers in their natural order, or else ISO dates and times."""

    zone: str | None = None

    def __post_init__(self) -> None:
        """The zone must exist."""
        _require_zone(self.zone)


@dataclass(frozen=True, kw_only=True)
class IsoTime:
    """ISO dates and times, such as 2024-05-01, 2024-05-01 07:30 or 2024-05-01T07:30:00.25+02:00."""

    zone: str | None = None

    def __post_init__(self) -> None:
        """The zone must exist."""
        _require_zone(self.zone)


@dataclass(frozen=True)
class EpochTime:
    """Numbers since 1970 in a unit; a value outside the years 1 to 9999 shows that the unit is wrong."""

    unit: Chosen[EpochUnit] = Chosen(EpochUnit)


@dataclass(frozen=True, kw_only=True)
class PatternTime:
    """Strings written by a strptime pattern, such as %d/%m/%Y %H:%M."""

    pattern: str
    zone: str | None = None

    def __post_init__(self) -> None:
        """A pattern needs at least one directive; the zone must exist."""
        instance_of(self.pattern, str, name="a time pattern")
        if "%" not in self.pattern:
            message = f"a time pattern must contain a directive such as %Y, got {self.pattern!r}"
            raise ParameterError(message)
        _require_zone(self.zone)


TimeFormat = AutoTime | IsoTime | EpochTime | PatternTime


def parse_time_format(text: str, *, zone: str | None = None) -> TimeFormat:
    """Read `auto`, `iso`, `epoch-s`, `epoch-ms`, `epoch-us`, `epoch-ns` or a strptime pattern."""
    if text == "auto":
        return AutoTime(zone=zone)
    if text == "iso":
        return IsoTime(zone=zone)
    if "%" in text:
        return PatternTime(pattern=text, zone=zone)
    for unit in EpochUnit:
        if text == f"epoch-{unit}":
            if zone is not None:
                message = f"times since 1970 are in UTC and take no zone, got {zone!r}"
                raise ParameterError(message)
            return EpochTime(unit)
    epochs = ", ".join(f"epoch-{unit}" for unit in EpochUnit)
    message = f"a time format must be auto, iso, {epochs} or a pattern such as %d/%m/%Y, got {text!r}"
    raise ParameterError(message)


def time_rule(time_format: TimeFormat) -> str:
    """What does not fit a format, for the owner."""
    match time_format:
        case EpochTime(unit=unit):
            return f"not a time since 1970 in {unit}, within the years 1 to 9999"
        case PatternTime(pattern=pattern):
            return f"not a time as {pattern}"
        case AutoTime(zone=None):
            return "not a time as a number below 2**53 (whole ones: below 2**63) or an ISO date"
        case _:
            return "not a time as an ISO date"


def comparable_times(times: pl.Series, time_format: TimeFormat) -> pl.Series:
    """Times that sort by time, null where a value does not fit the format; each depends on its own value alone.

    Whole numbers are integers, moments are datetimes in UTC. If there are other numbers, or both, each time is three numbers: 0
    and the whole and the fractional part of a number, or 1 and a moment in microseconds (`as_triples`).
    """
    return _compared(times, time_format).alias(times.name)


def _compared(times: pl.Series, time_format: TimeFormat) -> pl.Series:  # noqa: PLR0911 - one for each format
    times = times.cast(pl.String) if isinstance(times.dtype, pl.Categorical | pl.Enum) else times
    times = exact_text(times) if times.dtype == pl.Object else times
    match time_format:
        case EpochTime(unit=unit):
            return _numbers(times, within=(-62_135_596_800 * unit.in_a_second, 253_402_300_800 * unit.in_a_second))
        case PatternTime(pattern=pattern, zone=zone):
            has_text = times.dtype.is_numeric() or isinstance(times.dtype, pl.Datetime) or times.dtype == pl.Date
            strings = times if times.dtype == pl.String else exact_text(times) if has_text else None
            return _no_moments(times) if strings is None else in_zone(moments_by_pattern(strings, pattern), zone)
        case AutoTime(zone=None):
            quick = _all_alike(times) if times.dtype == pl.String else None
            if quick is not None:
                return quick
            numbers = _numbers(times)
            if not numbers.null_count():
                return numbers
            moments = iso_moments(times, None)
            if not moments.null_count() or numbers.null_count() == len(numbers):
                return moments
            if moments.null_count() == len(moments):
                return numbers
            return as_triples(numbers).zip_with(numbers.is_not_null(), as_triples(moments))
        case AutoTime(zone=zone) | IsoTime(zone=zone):
            return iso_moments(times, zone)


def as_triples(times: pl.Series) -> pl.Series:
    """Times as numbers that compare exactly, whatever sorts of times others are; null stays null."""
    if isinstance(times.dtype, pl.Struct):
        return times
    is_moment = times.dtype.is_temporal()
    parts = [
        pl.Series("sort", [int(is_moment)], dtype=pl.Int8).new_from_index(0, len(times)),
        times.to_physical().cast(pl.Int64).alias("whole"),
        pl.Series("part", [0.0]).new_from_index(0, len(times)),
    ]
    return _struct(parts, times.is_not_null()).alias(times.name)


def _struct(parts: list[pl.Series], known: pl.Series) -> pl.Series:
    frame = pl.DataFrame(parts)
    return frame.select(pl.when(pl.lit(known)).then(pl.struct(pl.all()))).to_series()


def _numbers(times: pl.Series, *, within: tuple[int, int] | None = None) -> pl.Series:
    """64-bit integers if all numbers are whole, triples if not; null for what is no number, inexact or outside."""
    if times.dtype.is_integer() or times.dtype in (pl.Time, pl.Duration):
        whole, real = times.to_physical().cast(pl.Int64, strict=False), None
    elif times.dtype == pl.String or times.dtype.is_float() or times.dtype.is_decimal():
        whole = times.cast(pl.Int64, strict=False) if times.dtype == pl.String else _no_numbers(times)
        real = times.cast(pl.Float64, strict=False) if whole.null_count() else None
    else:
        return _no_numbers(times)
    part = None
    if real is not None:
        exact = (whole.is_null() & real.is_finite() & (real.abs() < LARGEST_EXACT)).fill_null(value=False)
        below = real.set(~exact, 0.0).fill_null(0.0).floor()
        part = (real - below).set(~exact, 0.0).fill_null(0.0)
        whole = below.cast(pl.Int64).zip_with(exact, whole)
    if within is not None:
        least, most = max(within[0], -(2**63)), min(within[1], 2**63) - 1
        whole = whole.set((whole < least) | (whole > most), None)
    if part is None or not bool((part.filter(whole.is_not_null()) != 0).any()):
        return whole
    parts = [pl.Series("sort", [0], dtype=pl.Int8).new_from_index(0, len(times)), whole.alias("whole"), part.alias("part")]
    return _struct(parts, whole.is_not_null()).alias(times.name)


def _no_numbers(times: pl.Series) -> pl.Series:
    return pl.Series(times.name, [None], dtype=pl.Int64).new_from_index(0, len(times))


def grid_places(times: pl.Series, grid: TimeGrid, *, time_format: TimeFormat) -> pl.Series:
    """The interval of each time, null outside the grid; a grid of dates takes moments, a grid of numbers takes numbers."""
    sort, whole, part = (as_triples(times).struct.field(name) for name in ("sort", "whole", "part"))
    if isinstance(time_format, EpochTime) and grid.is_of_dates:
        ticks = _in_microseconds(whole, part, time_format.unit)
    else:
        ticks = whole.set((sort != int(grid.is_of_dates)).fill_null(value=True), None)
    places = pl.Series(times.name, grid.places(ticks.fill_null(0).to_numpy()))
    return places.set((places < 0) | ticks.is_null(), None)


def _in_microseconds(whole: pl.Series, part: pl.Series, unit: EpochUnit) -> pl.Series:
    """Times since 1970 in microseconds, rounded down."""
    if unit is EpochUnit.NANOSECONDS:
        return whole // 1000
    factor = 1_000_000 // unit.in_a_second
    return whole * factor + (part * factor).floor().cast(pl.Int64)


def _require_zone(zone: str | None) -> None:
    if zone is None:
        return
    try:
        pl.Series([0]).cast(pl.Datetime("us")).dt.replace_time_zone(zone or "none", ambiguous="earliest", non_existent="null")
    except (pl.exceptions.PolarsError, TypeError, ValueError):
        message = f"a time zone must be in the time zone database, such as Europe/London, got {zone!r}"
        raise ParameterError(message) from None
