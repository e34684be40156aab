"""Numbers and moments, exactly: from the text of one value to a whole number of units, and back.

A number is read from its decimal text in units of 10 ** -scale, rounded down, so that 0.3 in steps of 0.1 is three steps whatever
a binary fraction makes of it. A moment is read in microseconds since 1970. How a value is read depends on that value and on what
was declared, never on other values.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Integers
from tacita.errors import ParameterError
from tacita.io.times import iso_moments, moments_by_pattern
from tacita.io.values import exact_text

__all__ = [
    "DAY",
    "LARGEST",
    "MOST_DECIMALS",
    "Otherwise",
    "are_missing",
    "decimals_of",
    "declared_moment",
    "exact_number",
    "micros_of",
    "number_text",
    "placed",
    "ticks_of",
    "units_of",
]

MOST_DECIMALS = 9
LARGEST = 10**17
"""No bound is this large, in units of the last decimal, so that sums of two fit 64 bits."""

FARTHEST = 10**18
"""Numbers beyond this many units are moved here, which is outside of all bounds."""

DAY = timedelta(days=1)


class Otherwise(StrEnum):
    """What is done with a row whose value does not fit its column."""

    DROP = "drop"
    """The row is left out."""
    BOUND = "bound"
    """A number or moment outside the bounds is moved to the bound; a row with any other misfit is left out."""
    MISSING = "missing"
    """The value is taken for missing."""


def are_missing(values: pl.Series) -> Booleans:
    """Where there is no value: null, not a number, or an empty text."""
    if values.dtype.is_float():
        gone = values.is_null() | values.is_nan().fill_null(value=True)
    elif values.dtype == pl.String:
        gone = values.is_null() | (values.str.strip_chars() == "").fill_null(value=True)
    else:
        gone = values.is_null()
    return np.asarray(gone.to_numpy(), dtype=np.bool_)


def placed(  # noqa: PLR0913 - what decides about a value
    units: pl.Series, gone: Booleans, *, first: int, step: int, count: int, missing: bool, otherwise: Otherwise
) -> Integers:
    """The place of each value, `count` where it is missing, -1 where its row is to be left out; unreadable `units` are null."""
    no_value = np.asarray(units.is_null().to_numpy(), dtype=np.bool_)
    places = (np.asarray(units.fill_null(first).to_numpy(), dtype=np.int64) - first) // step
    outside = (places < 0) | (places >= count)
    if otherwise is Otherwise.BOUND:
        places = np.clip(places, 0, count - 1)
        outside = np.zeros_like(outside)
    unfit = no_value | outside
    places[unfit] = count if otherwise is Otherwise.MISSING else -1
    places[gone] = count if missing else -1
    return places


# Numbers.


def exact_number(value: object, *, name: str) -> Decimal:
    """A bound or a step as it is written: a whole number, a decimal, its text, or the shortest text of a float."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        message = f"{name} must be a number, got {value!r}"
        raise ParameterError(message)
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or decimals_of(number) > MOST_DECIMALS or abs(number) >= LARGEST:
        message = f"{name} must be a number with at most {MOST_DECIMALS} decimals, got {value!r}"
        raise ParameterError(message)
    return number


def decimals_of(number: Decimal) -> int:
    """How many decimals a number is written with."""
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def number_text(units: int, scale: int) -> str:
    """A number of units as text with that many decimals.

    >>> number_text(-105, 2), number_text(7, 0)
    ('-1.05', '7')
    """
    digits = str(abs(units)).zfill(scale + 1)
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return f"-{text}" if units < 0 else text


_PLAIN = {sign: rf"^(?<sign>[+-])?(?<whole>[0-9]*)(?:\{sign}(?<fraction>[0-9]*))?$" for sign in ".,"}
_POWER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]{1,3}$"


def units_of(values: pl.Series, *, scale: int, decimal: str = ".") -> pl.Series:
    """Each number in units of 10 ** -scale, rounded down, null where there is none.

    >>> units_of(pl.Series(["0.3", "-0.31", "1e2", "x", " 7 "]), scale=1).to_list()
    [3, -4, 1000, None, 70]
    """
    if values.dtype in (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32):
        most = FARTHEST // 10**scale
        return pl.Series(values.cast(pl.Int64).clip(-most, most) * 10**scale)
    sign = decimal if values.dtype == pl.String else "."
    texts = exact_text(values).str.strip_chars()
    parts = texts.str.extract_groups(_PLAIN[sign]).struct
    whole, fraction = parts.field("whole").fill_null(""), parts.field("fraction").fill_null("")
    readable = parts.field("whole").is_not_null() & ((whole != "") | (fraction != ""))
    digits = whole.str.strip_chars_start("0")
    is_far = digits.str.len_bytes() > len(str(FARTHEST)) - 1 - scale
    kept = pl.select(pl.when(is_far).then(pl.lit("0")).otherwise("0" + digits + (fraction + "0" * scale).str.slice(0, scale)))
    units = kept.to_series().cast(pl.Int64).to_numpy()
    units = np.where(is_far.to_numpy(), FARTHEST, units)
    is_negative = (parts.field("sign").fill_null("+") == "-").to_numpy()
    is_more = (fraction.str.slice(scale).str.strip_chars("0") != "").to_numpy()
    signed = pl.Series(np.where(is_negative, -units - is_more, units)).set(~readable, None)
    powers = texts.str.contains(_POWER).fill_null(value=False).arg_true()
    if sign == "." and not powers.is_empty():
        signed = signed.scatter(
            powers, pl.Series([_power_units(str(text), scale) for text in texts.gather(powers)], dtype=pl.Int64)
        )
    return signed


def _power_units(text: str, scale: int) -> int:
    number = Decimal(text)
    if number.adjusted() + scale >= len(str(FARTHEST)) - 1:
        return FARTHEST if number > 0 else -FARTHEST
    whole = int(number.scaleb(scale).to_integral_value(rounding="ROUND_FLOOR"))
    return max(-FARTHEST, min(FARTHEST, whole))


# Moments.


def micros_of(values: pl.Series, pattern: str | None) -> pl.Series:
    """Microseconds since 1970 of each date or time, null where there is none; texts are ISO, or as a pattern says.

    ISO texts are read beside a pattern too: pandas has them for dates in a column of objects.
    """
    if values.dtype == pl.String:
        texts = values.str.strip_chars()
        moments = iso_moments(texts, None)
        if pattern is not None:
            written = moments_by_pattern(texts, pattern)
            moments = written.zip_with(written.is_not_null(), moments)
    elif values.dtype.is_temporal():
        moments = iso_moments(values, None)
    elif pattern is not None:  # digits, such as 20240501, that a typed file holds as a number
        moments = moments_by_pattern(exact_text(values), pattern)
    else:
        moments = pl.Series(values.name, [None], dtype=pl.Datetime("us")).new_from_index(0, len(values))
    return moments.cast(pl.Datetime("us")).cast(pl.Int64)


EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - moments without a zone


def ticks_of(moment: date | datetime) -> int:
    """A moment in microseconds since 1970; a date is its midnight."""
    at = moment if isinstance(moment, datetime) else datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001 - as above
    return (at - EPOCH) // timedelta(microseconds=1)


def declared_moment(value: object, *, name: str) -> date | datetime:
    """A date, or a date with a time and no zone, from itself or its ISO text."""
    try:
        found: object = value
        if isinstance(value, str):
            found = date.fromisoformat(value) if len(value) == len("2024-05-01") else datetime.fromisoformat(value)
    except ValueError:
        found = None
    if not isinstance(found, date) or (isinstance(found, datetime) and found.tzinfo is not None):
        message = f"{name} must be a date such as 2024-05-01, or 2024-05-01T07:30:00 without a zone, got {value!r}"
        raise ParameterError(message)
    return found
