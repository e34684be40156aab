"""What a value is as text: the rule for ids, labels and categories, whatever type its column has.

A text is itself. A whole number is its decimal digits, also if it is stored as a float: pandas turns 7 into 7.0 as soon as
somebody else's value is missing, and 7 must stay the same person. Another number is the shortest text that means it. A float
from 2**53 on represents several whole numbers, so nobody knows which was meant: it has no text, and its row is left out. A
moment is its ISO text in UTC, to the microsecond; true and false are those words; anything else has no text.

So the text depends on the value alone, and never on what other rows did to the type of the column.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from numbers import Integral, Real

import polars as pl

__all__ = ["LARGEST_EXACT", "exact_text", "text_of_object", "text_or_number"]

LARGEST_EXACT = 2**53
_MOMENT = "%Y-%m-%dT%H:%M:%S.%6f"


def text_or_number(values: pl.Series) -> pl.Series:
    """Integers as they are, which group fast, and the texts of all other values, null where there is none."""
    if values.dtype in (pl.Int128, pl.UInt128):  # NumPy has no such numbers
        return values.cast(pl.String)
    return values if values.dtype.is_integer() else exact_text(values)


def exact_text(values: pl.Series) -> pl.Series:  # noqa: PLR0911 - one for each type
    """The text of each value, null where it has none.

    >>> exact_text(pl.Series([7.0, 0.5, float("nan"), 2.0**60])).to_list(), exact_text(pl.Series([7.0, None])).to_list()
    (['7', '0.5', None, None], ['7', None])
    """
    kind = values.dtype
    if kind == pl.String:
        return values
    if kind.is_integer() or kind in (pl.Boolean, pl.Categorical, pl.Enum):
        return values.cast(pl.String)
    if kind.is_float() or kind.is_decimal():
        return _real_texts(values.cast(pl.Float64)) if kind.is_float() else _decimal_texts(values)
    if isinstance(kind, pl.Datetime):
        if kind.time_zone is None:
            return values.cast(pl.Datetime("us")).dt.to_string(_MOMENT)
        instants = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return instants.cast(pl.Datetime("us")).dt.to_string(_MOMENT + "Z")
    if kind == pl.Date:
        return values.dt.to_string("%Y-%m-%d")
    if kind == pl.Object:
        return pl.Series(values.name, [text_of_object(value) for value in values.to_list()], dtype=pl.String)
    return pl.Series(values.name, [None], dtype=pl.String).new_from_index(0, len(values))


def _real_texts(reals: pl.Series) -> pl.Series:
    """Floats: whole ones as integers; none from 2**53 on, and none that are not finite."""
    exact = (reals.is_finite() & (reals.abs() < LARGEST_EXACT)).fill_null(value=False)
    whole = (exact & (reals == reals.floor())).fill_null(value=False)
    integers = reals.zip_with(whole, pl.Series([0.0]).new_from_index(0, len(reals))).cast(pl.Int64).cast(pl.String)
    if bool(whole.all()):
        return integers.alias(reals.name)
    texts = integers.zip_with(whole, reals.cast(pl.String))
    return texts.set(~exact, None).alias(reals.name)


def _decimal_texts(decimals: pl.Series) -> pl.Series:
    return decimals.cast(pl.String).str.replace(r"(\.[0-9]*?)0+$", "$1").str.replace(r"\.$", "")


def text_of_object(value: object) -> str | None:  # noqa: PLR0911 - one for each sort of value
    """The text of a Python object, as `exact_text` has it for a column of that type.

    >>> [text_of_object(value) for value in ("7", 7, 7.0, True, None, float("nan"), [7])]
    ['7', '7', '7', 'true', None, None, None]
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}:
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if value is None or type(value).__name__ == "NAType" or value != value:  # noqa: PLR0124 - NaN and NaT
        return None
    if isinstance(value, Decimal):
        return str(_decimal_texts(pl.Series([f"{value:f}"]))[0]) if value.is_finite() else None
    if isinstance(value, Real):
        text = exact_text(pl.Series([float(value)], dtype=pl.Float64))[0]
        return None if text is None else str(text)
    if isinstance(value, datetime):
        shown = value.strftime("%Y-%m-%dT%H:%M:%S.%f")
        return shown if value.tzinfo is None else value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return value.isoformat() if isinstance(value, date) else None
