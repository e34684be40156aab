"""Parsing moments: ISO dates and times in all their forms, any strptime pattern, and local times of a zone."""

from __future__ import annotations

import polars as pl

from tacita.errors import InputError

__all__ = ["first_false", "in_zone", "iso_moments", "moments_by_pattern", "refuse_bad"]

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
