"""Times of events: numbers, ISO strings, time since 1970, or any pattern, converted to columns that sort by time.

A time with an offset is an instant, and instants are compared in UTC. A time without one is what a clock showed: with a named
zone it becomes an instant (an hour that a clock showed twice means the first time), without a zone it is compared as it is
written. Strings are read to the microsecond.

The parsers of moments come first; the formats of times, and the columns made by them, follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from tacita.errors import InputError, ParameterError
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid

__all__ = [
    "AutoTime",
    "EpochTime",
    "EpochUnit",
    "IsoTime",
    "PatternTime",
    "TimeFormat",
    "comparable_times",
    "first_false",
    "grid_places",
    "in_zone",
    "iso_moments",
    "moments_by_pattern",
    "parse_time_format",
    "refuse_bad",
]


# Parsing moments: ISO dates and times in all their forms, any strptime pattern, and local times of a zone.

_ISO = (
    r"^(?<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[T ](?<clock>[0-9]{2}:[0-9]{2})(?::(?<seconds>[0-9]{2})(?:[.,](?<fraction>[0-9]{1,30}))?)?"
    r"(?<offset>[Zz]|(?<sign>[+-])(?<hours>[0-9]{2})(?::?(?<minutes>[0-9]{2}))?)?)?$"
)
_PLAIN_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?$"
_QUICK = {10: "%Y-%m-%d", 16: "%Y-%m-%d{}%H:%M", 19: "%Y-%m-%d{}%H:%M:%S"}


def iso_moments(times: pl.Series, zone: str | None, rule: str, source: str) -> pl.Series:
    """Moments from a column of dates or datetimes, or from ISO strings."""
    if times.dtype == pl.String:
        quick = _all_alike(times)
        return _iso_by_parts(times, zone, rule, source) if quick is None else in_zone(quick, zone, source)
    if times.dtype == pl.Date:
        times = times.cast(pl.Datetime("us"))
    if not times.dtype.is_temporal():
        refuse_bad(times, None, rule, source)
    return in_zone(times, zone, source) if isinstance(times.dtype, pl.Datetime) else times


def _iso_by_parts(times: pl.Series, zone: str | None, rule: str, source: str) -> pl.Series:
    """Moments from ISO strings of any form, with or without offsets."""
    parts = times.str.extract_groups(_ISO).struct
    day, clock, seconds, fraction = (parts.field(name) for name in ("day", "clock", "seconds", "fraction"))
    moments = moments_by_pattern(day + "T" + clock.fill_null("00:00") + ":" + seconds.fill_null("00"), "%Y-%m-%dT%H:%M:%S")
    hours, minutes = (parts.field(name).fill_null("0").cast(pl.Int64) for name in ("hours", "minutes"))
    refuse_bad(times, moments.is_not_null() & (hours < 24) & (minutes < 60), rule, source)
    micros = moments.cast(pl.Int64) + (fraction.fill_null("") + "000000").str.slice(0, 6).cast(pl.Int64)
    moments = micros.cast(pl.Datetime("us"))
    has_offset = parts.field("offset").is_not_null()
    if not bool(has_offset.any()):
        return in_zone(moments, zone, source)
    if zone is None and not bool(has_offset.all()):
        message = (
            f"the times in the column {times.name!r} must all have an offset from UTC, or none of them; "
            f"row {first_false(has_offset)} has none; give the zone of those without"
        )
        raise InputError(message)
    ahead = (parts.field("sign").fill_null("+") + "1").cast(pl.Int64) * (hours * 60 + minutes) * 60_000_000
    instants = (micros - ahead).cast(pl.Datetime("us", "UTC"))
    if bool(has_offset.all()):
        return instants
    return instants.zip_with(has_offset, in_zone(moments, zone, source, but=has_offset))


def _all_alike(strings: pl.Series) -> pl.Series | None:
    """Moments from strings that all have the form of the first, without offset or fraction; eight times as fast."""
    first = str(strings[0])
    if len(first) not in _QUICK or first[10:11] not in {"", "T", " "} or not bool((strings.str.len_bytes() == len(first)).all()):
        return None
    if not bool(strings.str.contains(_PLAIN_ISO).all()):
        return None  # strptime would accept a space or a sign as a digit
    moments = moments_by_pattern(strings, _QUICK[len(first)].format(first[10:11]))
    return moments if moments.null_count() == 0 else None


def moments_by_pattern(strings: pl.Series, pattern: str) -> pl.Series:
    """Moments by a pattern, null where a string does not match it."""
    try:
        return strings.str.strptime(pl.Datetime("us"), pattern, strict=False, cache=False)
    except pl.exceptions.PolarsError:
        return pl.Series(strings.name, [None] * len(strings), dtype=pl.Datetime("us"))


def in_zone(moments: pl.Series, zone: str | None, source: str, *, but: pl.Series | None = None) -> pl.Series:
    """Local times of a zone as instants; unchanged without a zone, or if they are instants already."""
    if zone is None or (isinstance(moments.dtype, pl.Datetime) and moments.dtype.time_zone is not None):
        return moments
    instants = moments.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null").dt.convert_time_zone("UTC")
    good = instants.is_not_null() if but is None else instants.is_not_null() | but
    refuse_bad(moments, good, f"times that the clocks of {zone} showed", source)
    return instants


def refuse_bad(times: pl.Series, good: pl.Series | None, rule: str, source: str) -> None:
    """Refuse a column of the wrong type (then `good` is None), or report the first row that is not good."""
    if good is not None and bool(good.all()):
        return
    which = f"got {times.dtype}" if good is None and times.dtype != pl.String else f"row {_first_bad(times, good)} does not"
    message = f"{source} does not fit its columns: {times.name!r} must hold {rule}, {which}"
    raise InputError(message)


def _first_bad(times: pl.Series, good: pl.Series | None) -> int:
    return first_false(times.cast(pl.Float64, strict=False).is_not_null() if good is None else good)


def first_false(good: pl.Series) -> int:
    """The number of the first row that is not good, counted from 1."""
    return int((~good.fill_null(value=False)).arg_max() or 0) + 1


_LARGEST_EXACT = 2**53


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

    unit: EpochUnit


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


def comparable_times(times: pl.Series, time_format: TimeFormat, *, source: str) -> pl.Series:
    """Times as numbers, dates or moments that sort by time; no value may be missing. `source` is for messages."""
    times = times.cast(pl.String) if isinstance(times.dtype, pl.Categorical | pl.Enum) else times
    match time_format:
        case EpochTime(unit=unit):
            numbers = _numbers(times)
            seconds = None if numbers is None else numbers.cast(pl.Float64) / unit.in_a_second
            good = None if seconds is None else (seconds >= -62_135_596_800) & (seconds < 253_402_300_800)
            refuse_bad(times, good, f"times since 1970 in {unit}, within the years 1 to 9999", source)
            return times if numbers is None else numbers
        case PatternTime(pattern=pattern, zone=zone):
            strings = times.cast(pl.String) if times.dtype.is_integer() else times
            if strings.dtype != pl.String:
                refuse_bad(times, None, f"times as {pattern}", source)
            moments = moments_by_pattern(strings, pattern)
            refuse_bad(times, moments.is_not_null(), f"times as {pattern}", source)
            return in_zone(moments, zone, source)
        case AutoTime(zone=zone):
            numbers = _numbers(times)
            if numbers is not None:
                return _finite(numbers, zone)
            rule = "times as numbers or ISO dates"
            if times.dtype == pl.String:
                _refuse_mixture(times, rule, source)
            return iso_moments(times, zone, rule, source)
        case IsoTime(zone=zone):
            return iso_moments(times, zone, "times as ISO dates", source)


def grid_places(times: pl.Series, grid: TimeGrid, *, time_format: TimeFormat, source: str) -> pl.Series:
    """The interval of each time, null outside the grid; a grid of dates takes moments, a grid of numbers takes numbers."""
    if grid.is_of_dates and isinstance(time_format, EpochTime):
        ticks = _whole(_in_microseconds(times, time_format.unit))
    elif grid.is_of_dates and isinstance(times.dtype, pl.Datetime):
        ticks = times.cast(pl.Datetime("us", times.dtype.time_zone)).to_physical()
    elif not grid.is_of_dates and times.dtype.is_numeric():
        ticks = _whole(times)
    else:
        wanted = "dates" if grid.is_of_dates else "numbers"
        message = (
            f"{source} has times that are {times.dtype}, but the time grid is one of {wanted}; both must be of the same kind"
        )
        raise InputError(message)
    places = pl.Series(times.name, grid.places(ticks.fill_null(0).to_numpy()))
    return places.set((places < 0) | ticks.is_null(), None)


def _in_microseconds(times: pl.Series, unit: EpochUnit) -> pl.Series:
    """Times since 1970 in microseconds; integers stay integers."""
    if unit is EpochUnit.NANOSECONDS:
        return times / 1000 if times.dtype.is_float() else times // 1000
    return times * (1_000_000 // unit.in_a_second)


def _whole(times: pl.Series) -> pl.Series:
    """Numbers rounded down, null where they exceed 64 bits, which no grid does."""
    return (times.floor() if times.dtype.is_float() else times).cast(pl.Int64, strict=False)


def _require_zone(zone: str | None) -> None:
    if zone is None:
        return
    try:
        pl.Series([0]).cast(pl.Datetime("us")).dt.replace_time_zone(zone or "none", ambiguous="earliest", non_existent="null")
    except (pl.exceptions.PolarsError, TypeError, ValueError):
        message = f"a time zone must be in the time zone database, such as Europe/London, got {zone!r}"
        raise ParameterError(message) from None


def _numbers(times: pl.Series) -> pl.Series | None:
    """64-bit numbers, also from strings or wider types; None if any value is not a number."""
    wide = (pl.Int128, pl.UInt128)
    if times.dtype.is_float() or (times.dtype.is_integer() and times.dtype not in wide):
        return times
    if not (times.dtype == pl.String or times.dtype.is_decimal() or times.dtype in wide):
        return None
    if times.dtype.is_decimal():
        return times.cast(pl.Float64)
    whole = times.cast(pl.Int64, strict=False)
    if whole.null_count() == 0:
        return whole
    real = times.cast(pl.Float64, strict=False)
    return None if real.null_count() else _exact_reals(real)


def _exact_reals(numbers: pl.Series) -> pl.Series:
    """Refuse reals so large that two different ones could become equal; each row is judged on its own."""
    too_large = numbers.is_finite() & (numbers.abs() >= _LARGEST_EXACT)
    if bool(too_large.any()):
        message = (
            f"if the times in the column {numbers.name!r} are not all 64-bit whole numbers, they must be below 2**53, "
            f"row {first_false(~too_large)} is not"
        )
        raise InputError(message)
    return numbers


def _finite(numbers: pl.Series, zone: str | None) -> pl.Series:
    """Numbers that must be finite; a zone is refused, because it means nothing for them."""
    if zone is not None:
        message = (
            f"the times in the column {numbers.name!r} are numbers, which have no zone; leave it out, "
            "or give their unit as the time format"
        )
        raise InputError(message)
    good = numbers.is_finite() if numbers.dtype.is_float() else None
    if good is not None and not bool(good.all()):
        message = f"the times in the column {numbers.name!r} must be finite, row {first_false(good)} is not"
        raise InputError(message)
    return numbers


def _refuse_mixture(times: pl.Series, rule: str, source: str) -> None:
    """If some strings are numbers and some are not, report the first row that differs from the first one."""
    is_number = times.cast(pl.Float64, strict=False).is_not_null()
    if bool(is_number.any()):
        refuse_bad(times, is_number == is_number[0], rule, source)
