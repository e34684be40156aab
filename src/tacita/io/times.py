"""Times of events: numbers, ISO texts, seconds since 1970, or any pattern; made into columns whose order is the order of time.

A time with an offset is an instant, and instants are compared in UTC. A time without one is what a clock showed: with a named
zone it becomes an instant (an hour that a clock showed twice means the first time), without a zone it is compared as it is
written. Texts are read to the microsecond.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from tacita.core.errors import InputError, ParameterError

__all__ = ["AutoTime", "EpochTime", "EpochUnit", "IsoTime", "PatternTime", "TimeFormat", "comparable_times", "parse_time_format"]


class EpochUnit(StrEnum):
    """What a number since the first of January 1970 (UTC) counts."""

    SECONDS = "s"
    MILLISECONDS = "ms"
    MICROSECONDS = "us"
    NANOSECONDS = "ns"

    @property
    def in_a_second(self) -> int:
        """How many of them are a second."""
        return {EpochUnit.SECONDS: 1, EpochUnit.MILLISECONDS: 10**3, EpochUnit.MICROSECONDS: 10**6}.get(self, 10**9)


@dataclass(frozen=True, kw_only=True)
class AutoTime:
    """Numbers, in their order; or else ISO dates and times."""

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
    """Numbers since 1970 in a unit; what falls outside the years 1 to 9999 shows that the unit is another one."""

    unit: EpochUnit


@dataclass(frozen=True, kw_only=True)
class PatternTime:
    """Texts written by a pattern of strptime, such as %d/%m/%Y %H:%M."""

    pattern: str
    zone: str | None = None

    def __post_init__(self) -> None:
        """A pattern has a directive at least; the zone must exist."""
        if "%" not in self.pattern:
            message = f"a pattern of times must hold a directive such as %Y, got {self.pattern!r}"
            raise ParameterError(message)
        _require_zone(self.zone)


TimeFormat = AutoTime | IsoTime | EpochTime | PatternTime


def parse_time_format(text: str, *, zone: str | None = None) -> TimeFormat:
    """Read `auto`, `iso`, `epoch-s`, `epoch-ms`, `epoch-us`, `epoch-ns` or a pattern of strptime."""
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
    message = f"a format of times must be auto, iso, {epochs} or a pattern such as %d/%m/%Y, got {text!r}"
    raise ParameterError(message)


def comparable_times(times: pl.Series, time_format: TimeFormat, *, source: str) -> pl.Series:
    """Times as numbers, dates or moments, ordered as time is; none of the values may be missing. `source` is for messages."""
    times = times.cast(pl.String) if isinstance(times.dtype, pl.Categorical | pl.Enum) else times
    match time_format:
        case EpochTime(unit=unit):
            numbers = _numbers(times)
            seconds = None if numbers is None else numbers.cast(pl.Float64) / unit.in_a_second
            good = None if seconds is None else (seconds >= -62_135_596_800) & (seconds < 253_402_300_800)
            _refuse_bad(times, good, f"times since 1970 in {unit}, within the years 1 to 9999", source)
            return times if numbers is None else numbers
        case PatternTime(pattern=pattern, zone=zone):
            texts = times.cast(pl.String) if times.dtype.is_integer() else times
            if texts.dtype != pl.String:
                _refuse_bad(times, None, f"times as {pattern}", source)
            moments = _by_pattern(texts, pattern)
            _refuse_bad(times, moments.is_not_null(), f"times as {pattern}", source)
            return _in_zone(moments, zone, source)
        case AutoTime(zone=zone):
            numbers = _numbers(times)
            if numbers is not None:
                finite = numbers.is_finite() if numbers.dtype.is_float() else None
                if finite is not None and not bool(finite.all()):
                    message = f"the times in the column {times.name!r} must be finite, row {_first_false(finite)} is not"
                    raise InputError(message)
                return numbers
            rule = "times as numbers or ISO dates"
            if times.dtype == pl.String:
                _refuse_mixture(times, rule, source)
            return _iso(times, zone, rule, source)
        case IsoTime(zone=zone):
            return _iso(times, zone, "times as ISO dates", source)


def _require_zone(zone: str | None) -> None:
    if zone is None:
        return
    try:
        pl.Series([0]).cast(pl.Datetime("us")).dt.replace_time_zone(zone or "none", ambiguous="earliest", non_existent="null")
    except (pl.exceptions.PolarsError, TypeError, ValueError):
        message = f"a time zone must be one of the time zone database, such as Europe/London, got {zone!r}"
        raise ParameterError(message) from None


def _numbers(times: pl.Series) -> pl.Series | None:
    """Numbers of 64 bits, also where they are written as texts or in wider types; None if any is no number."""
    wide = (pl.Int128, pl.UInt128)
    if times.dtype.is_float() or (times.dtype.is_integer() and times.dtype not in wide):
        return times
    if not (times.dtype == pl.String or times.dtype.is_decimal() or times.dtype in wide):
        return None
    if times.dtype.is_decimal():
        return times.cast(pl.Float64)
    for kind in (pl.Int64(), pl.Float64()):
        numbers = times.cast(kind, strict=False)
        if numbers.null_count() == 0:
            return numbers
    return None


def _refuse_mixture(times: pl.Series, rule: str, source: str) -> None:
    """Where some texts are numbers and some are not, the first that is unlike the first row is told."""
    is_number = times.cast(pl.Float64, strict=False).is_not_null()
    if bool(is_number.any()):
        _refuse_bad(times, is_number == is_number[0], rule, source)


def _iso(times: pl.Series, zone: str | None, rule: str, source: str) -> pl.Series:
    """Moments from a column that holds them already, or from ISO texts."""
    if times.dtype == pl.String:
        quick = _all_alike(times)
        return _iso_by_parts(times, zone, rule, source) if quick is None else _in_zone(quick, zone, source)
    if times.dtype == pl.Date:
        times = times.cast(pl.Datetime("us"))
    if not times.dtype.is_temporal():
        _refuse_bad(times, None, rule, source)
    return _in_zone(times, zone, source) if isinstance(times.dtype, pl.Datetime) else times


def _iso_by_parts(times: pl.Series, zone: str | None, rule: str, source: str) -> pl.Series:
    """Moments of ISO texts of any form, with offsets or without."""
    parts = times.str.extract_groups(_ISO).struct
    day, clock, seconds, fraction = (parts.field(name) for name in ("day", "clock", "seconds", "fraction"))
    moments = _by_pattern(day + "T" + clock.fill_null("00:00") + ":" + seconds.fill_null("00"), "%Y-%m-%dT%H:%M:%S")
    hours, minutes = (parts.field(name).fill_null("0").cast(pl.Int64) for name in ("hours", "minutes"))
    _refuse_bad(times, moments.is_not_null() & (hours < 24) & (minutes < 60), rule, source)
    micros = moments.cast(pl.Int64) + (fraction.fill_null("") + "000000").str.slice(0, 6).cast(pl.Int64)
    moments = micros.cast(pl.Datetime("us"))
    has_offset = parts.field("offset").is_not_null()
    if not bool(has_offset.any()):
        return _in_zone(moments, zone, source)
    if zone is None and not bool(has_offset.all()):
        message = (
            f"the times in the column {times.name!r} must all have an offset from UTC or none, row {_first_false(has_offset)} "
            "has none; name the zone of those without"
        )
        raise InputError(message)
    ahead = (parts.field("sign").fill_null("+") + "1").cast(pl.Int64) * (hours * 60 + minutes) * 60_000_000
    instants = (micros - ahead).cast(pl.Datetime("us", "UTC"))
    if bool(has_offset.all()):
        return instants
    return instants.zip_with(has_offset, _in_zone(moments, zone, source, but=has_offset))


_ISO = (
    r"^(?<day>\d{4}-\d{2}-\d{2})(?:[T ](?<clock>\d{2}:\d{2})(?::(?<seconds>\d{2})(?:[.,](?<fraction>\d{1,30}))?)?"
    r"(?<offset>[Zz]|(?<sign>[+-])(?<hours>\d{2})(?::?(?<minutes>\d{2}))?)?)?$"
)
_QUICK = {10: "%Y-%m-%d", 16: "%Y-%m-%d{}%H:%M", 19: "%Y-%m-%d{}%H:%M:%S"}


def _all_alike(texts: pl.Series) -> pl.Series | None:
    """Moments of texts that are all written like the first, without offset and fraction; parsed eight times as fast."""
    first = str(texts[0])
    if len(first) not in _QUICK or not bool((texts.str.len_bytes() == len(first)).all()):
        return None
    moments = _by_pattern(texts, _QUICK[len(first)].format(first[10:11]))
    return moments if moments.null_count() == 0 else None


def _by_pattern(texts: pl.Series, pattern: str) -> pl.Series:
    """Moments by a pattern, missing where a text does not follow it."""
    try:
        return texts.str.strptime(pl.Datetime("us"), pattern, strict=False, cache=False)
    except pl.exceptions.PolarsError:
        return pl.Series(texts.name, [None] * len(texts), dtype=pl.Datetime("us"))


def _in_zone(moments: pl.Series, zone: str | None, source: str, *, but: pl.Series | None = None) -> pl.Series:
    """Instants of what the clocks of a zone showed; as it is without a zone, or where it is an instant already."""
    if zone is None or (isinstance(moments.dtype, pl.Datetime) and moments.dtype.time_zone is not None):
        return moments
    instants = moments.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null").dt.convert_time_zone("UTC")
    good = instants.is_not_null() if but is None else instants.is_not_null() | but
    _refuse_bad(moments, good, f"times that the clocks of {zone} showed", source)
    return instants


def _refuse_bad(times: pl.Series, good: pl.Series | None, rule: str, source: str) -> None:
    if good is not None and bool(good.all()):
        return
    which = f"got {times.dtype}" if good is None and times.dtype != pl.String else f"row {_first_bad(times, good)} does not"
    message = f"{source} is read by columns, and all rows must fit its columns: {times.name!r} must hold {rule}, {which}"
    raise InputError(message)


def _first_bad(times: pl.Series, good: pl.Series | None) -> int:
    return _first_false(times.cast(pl.Float64, strict=False).is_not_null() if good is None else good)


def _first_false(good: pl.Series) -> int:
    return int((~good.fill_null(value=False)).arg_max() or 0) + 1
