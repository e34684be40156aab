"""Long rows in JSON lines: one object per line, as a frame of the requested columns.

An id may be a string or a whole number, and the number 7 equals the string "7". Other numbers, booleans and lists are refused as
ids and labels: they can be written in several ways, and two people must not become one because of that. If a key occurs twice in
an object, the first one counts.
"""

from __future__ import annotations

import json
import re
from itertools import islice

import polars as pl

from tacita.errors import InputError
from tacita.io.csv_rows import POLARS_FAILURES, number_kind
from tacita.io.options import LongColumns
from tacita.io.times import TimeFormat

__all__ = ["bad_lines", "jsonl_frame"]

_SAMPLE = 100
_LOOKS_LIKE_A_VALUE = r"^([-+.0-9eE]+|true|false|\[.*|\{.*)$"


def jsonl_frame(data: bytes, *, columns: LongColumns, time_format: TimeFormat, source: str) -> pl.DataFrame:
    """The columns of JSON lines; rows are counted from 1, without empty lines."""
    texts = [name for name in columns.names if name != columns.time]
    sample = _sample(data)
    kinds = {name: _id_kind(sample, name) for name in texts}
    if columns.time is not None:
        times = [json.dumps(row.get(columns.time)) for row in sample if row.get(columns.time) is not None]
        kinds[columns.time] = number_kind(times, time_format)
    for schema in (kinds, dict.fromkeys(columns.names, pl.String())):
        try:
            frame = pl.read_ndjson(data, schema=schema).select(columns.names)
            break
        except POLARS_FAILURES:
            continue
    else:
        raise InputError(bad_lines(data, source))
    for name in columns.names:
        if len(frame) and frame[name].null_count() == len(frame):
            message = f"{source} must have the columns {', '.join(columns.names)}; give the names that it uses"
            raise InputError(message)
    for name in texts:
        _refuse_other_values(frame[name], data, source)
    return frame


def bad_lines(data: bytes, source: str) -> str:
    """What is wrong with lines that cannot be read."""
    line = _first_bad_line(data)
    which = "" if line is None else f", line {line} is not"
    return f"{source} cannot be read as jsonl: every line must be one JSON object{which}"


def _sample(data: bytes) -> list[dict[str, object]]:
    """The first JSON objects; lines that are not objects are skipped."""
    rows: list[dict[str, object]] = []
    for line in islice(data.splitlines() if len(data) < 2**16 else data[: 2**16].split(b"\n")[:-1], _SAMPLE):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


def _id_kind(sample: list[dict[str, object]], name: str) -> pl.DataType:
    """Integers if the first rows hold integers (Polars then refuses anything else in later rows); strings otherwise."""
    values = [row.get(name) for row in sample]
    return pl.Int64() if values and all(type(value) is int and abs(value) < 2**63 for value in values) else pl.String()


def _refuse_other_values(values: pl.Series, data: bytes, source: str) -> None:
    """Refuse ids and labels that were fractions, booleans or lists; strings that look like one are checked in the file."""
    if values.dtype != pl.String:
        return
    if b"\\u" in data and bool(values.str.contains("\0", literal=True).any()):
        message = f"{source} must hold valid characters: a string in {values.name!r} has a NUL or half of a surrogate pair"
        raise InputError(message)
    if not bool(values.str.contains(_LOOKS_LIKE_A_VALUE).any()):
        return
    spellings = {json.dumps(values.name), json.dumps(values.name, ensure_ascii=False)}
    key = "|".join(re.escape(spelling) for spelling in spellings)
    other = re.search(rf"(?:{key})\s*:\s*(?:[\[{{tf]|-?\d+[.eE])".encode(), data)
    if other is not None:
        line = data.count(b"\n", 0, other.start()) + 1
        message = f"the column {values.name!r} must hold strings or whole numbers, line {line} does not"
        raise InputError(message)


def _first_bad_line(data: bytes) -> int | None:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            if not isinstance(json.loads(line), dict):
                return number
        except (ValueError, RecursionError):
            return number
    return None
