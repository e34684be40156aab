"""JSON lines: one object per line, as frames of the requested columns.

An id may be a string or a whole number, and the number 7 equals the string "7". Other numbers, booleans and lists are refused as
ids and labels: they can be written in several ways, and two people must not become one because of that. If a key occurs twice in
an object, the first one counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import polars as pl

from tacita.errors import InputError
from tacita.formats import Compression
from tacita.io.columns import POLARS_FAILURES, picked
from tacita.io.csv_rows import number_kind
from tacita.io.formats import Chosen
from tacita.io.options import LongColumns, ReadOptions, TextDialect
from tacita.io.sources import first_lines, input_name, input_text, text_parts
from tacita.io.times import TimeFormat
from tacita.io.writing import compressed

__all__ = ["JSONL", "jsonl_frame"]

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
        raise InputError(_bad_lines(data, source))
    for name in columns.names:
        if len(frame) and frame[name].null_count() == len(frame):
            message = f"{source} must have the columns {', '.join(columns.names)}; give the names that it uses"
            raise InputError(message)
    for name in texts:
        _refuse_other_values(frame[name], data, source)
    return frame


def _bad_lines(data: bytes, source: str) -> str:
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


class JsonLines:
    """Reads and writes JSON lines."""

    def events(self, path: str | Path, options: ReadOptions) -> pl.DataFrame:
        """The columns of a whole file of events."""
        return self._events(input_text(path, encoding=options.dialect.encoding), path, options)

    def event_parts(self, path: str | Path, options: ReadOptions) -> Iterator[pl.DataFrame]:
        """The same, some rows at a time."""
        for data in text_parts(path, options.dialect, quote=None, has_header=False):
            yield self._events(data, path, options)

    def _events(self, data: bytes, path: str | Path, options: ReadOptions) -> pl.DataFrame:
        return jsonl_frame(data, columns=options.columns, time_format=options.time_format, source=input_name(path))

    def columns(self, path: str | Path, chosen: Chosen, dialect: TextDialect) -> pl.DataFrame:
        """The columns that `chosen` names, with types as the values have them."""
        text, source = input_text(path, encoding=dialect.encoding), input_name(path)
        try:
            frame = pl.read_ndjson(text, infer_schema_length=None)
        except POLARS_FAILURES:
            raise InputError(_bad_lines(text, source)) from None
        return picked(frame, chosen, source)

    def row_count(self, path: Path) -> int | None:  # noqa: ARG002 - only reading it would tell
        """Nobody knows."""
        return None

    def released(self, path: Path) -> pl.DataFrame:
        """All columns."""
        return pl.read_ndjson(input_text(path))

    def write(self, path: Path, frame: pl.DataFrame, compression: Compression | None) -> None:
        """Write rows."""
        frame.write_ndjson(path, **compressed(compression))

    def sink(self, path: Path, rows: pl.LazyFrame, compression: Compression | None) -> None:
        """Write rows that need not fit into memory."""
        rows.sink_ndjson(path, **compressed(compression))

    def fields(self, path: Path) -> Mapping[str, pl.DataType]:  # noqa: ARG002 - each line has its own
        """Croissant has no way to say where the fields of a line are."""
        return {}

    def header(self, path: Path) -> list[tuple[str, str]]:
        """The names in the first object."""
        return [(name, "") for name in json.loads(first_lines(path, 1)[0])]

    def first_rows(self, path: Path, count: int) -> list[str]:
        """The first lines, and one more."""
        return first_lines(path, count + 1)

    def spark_options(self, path: str, options: ReadOptions) -> dict[str, object]:  # noqa: ARG002 - the same for every file
        """Spark refuses lines that are no objects."""
        return {"mode": "FAILFAST"}


JSONL = JsonLines()
