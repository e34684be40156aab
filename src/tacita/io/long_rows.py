"""Long rows: one row an event, with the person's id, a label and a time; from and to Parquet, CSV and JSON lines.

All rows of one id are one record, ordered by time; rows of one time keep the order of the file. Where no column is named as the
time, the order within a record is not told. Where a column tells the records of a person apart, they are joined or capped, as
`PerPerson` says.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.io.csv_rows import POLARS_FAILURES, csv_frame
from tacita.io.formats import STANDARD_INPUT, FileFormat, StoredFormat, require_file
from tacita.io.frames import Source, is_frame, polars_frame
from tacita.io.json_rows import jsonl_frame
from tacita.io.options import POSITION, LongColumns, ReadOptions
from tacita.io.ordering import lists_of_people, lists_of_records
from tacita.io.sources import input_bytes, input_text, plain_file, spoken, without_comments
from tacita.io.times import comparable_times, grid_places
from tacita.io.writing import write_frame
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["LongEvents", "event_rows", "long_events", "long_frame", "long_lists", "observed_labels", "read_long", "write_long"]

_SMALL = 100_000


def read_long(
    path: str | Path,
    *,
    universe: Universe,
    columns: LongColumns | None = None,
    options: ReadOptions | None = None,
    grid: TimeGrid | None = None,
) -> tuple[Ragged, int]:
    """Read one list of codes a record, and how many rows had a label outside the universe and were dropped.

    With a grid, the code of a row is `interval * len(universe) + label`; a time outside the grid drops its row too.
    """
    lists, dropped, _ = long_lists(path, universe=universe, options=_with_columns(options, columns), grid=grid)
    return lists, dropped


def long_lists(
    path: Source, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None = None
) -> tuple[Ragged, int, int]:
    """What `read_long` gives, and of how many records all rows were dropped."""
    rows = long_events(path, universe=universe, options=options, grid=grid)
    if rows.records is None:
        return lists_of_people(rows.codes, rows.ids, rows.times), rows.dropped, rows.emptied
    lists = lists_of_records(rows.codes, rows.ids, rows.times, records=rows.records, per_person=options.per_person)
    return lists, rows.dropped, rows.emptied


@dataclass(frozen=True, kw_only=True, eq=False)
class LongEvents:
    """The rows of a file that lie inside the universe and the grid, and how many do not; `emptied` records have no row left."""

    codes: pl.Series
    ids: pl.Series
    times: pl.Series | None
    records: pl.Series | None
    dropped: int
    emptied: int


def long_events(path: Source, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None = None) -> LongEvents:
    """The rows of a file as they come, with codes as `read_long` has them."""
    columns = options.columns
    if grid is not None and columns.time is None:
        message = "a time grid needs the column that holds the times; name it as time"
        raise ParameterError(message)
    source = spoken(path)
    frame = _without_empty_rows(_frame(path, options), source)
    codes = _encode(frame[columns.label], universe)
    ids = _text_or_number(frame[columns.id])
    ids = _whole_numbers(ids) if ids.dtype == pl.String else ids
    times = None if columns.time is None else comparable_times(frame[columns.time], options.time_format, source=source)
    records = None if columns.record is None else _text_or_number(frame[columns.record])
    del frame
    if grid is not None and times is not None:
        codes = _at_intervals(codes, grid_places(times, grid, time_format=options.time_format, source=source), len(universe))
    dropped, emptied = codes.null_count(), 0
    if dropped:
        inside = codes.is_not_null()
        apart = [ids] if records is None or options.per_person.most is None else [ids, records]
        emptied = _how_many(apart) - _how_many([series.filter(inside) for series in apart])
        codes, ids = codes.filter(inside), ids.filter(inside)
        times = None if times is None else times.filter(inside)
        records = None if records is None else records.filter(inside)
    return LongEvents(codes=codes, ids=ids, times=times, records=records, dropped=dropped, emptied=emptied)


def event_rows(path: Source, *, universe: Universe, options: ReadOptions, grid: TimeGrid) -> pl.DataFrame:
    """One row per event in the order of the file: `place` in the grid, `id` and `code`; place and code are null outside."""
    columns, source = options.columns, spoken(path)
    if columns.time is None:
        message = "events need the column that holds the times; name it as time"
        raise ParameterError(message)
    frame = _without_empty_rows(_frame(path, options), source)
    times = comparable_times(frame[columns.time], options.time_format, source=source)
    return pl.DataFrame(
        {
            "place": grid_places(times, grid, time_format=options.time_format, source=source),
            "id": _text_or_number(frame[columns.id]),
            "code": _encode(frame[columns.label], universe),
        }
    )


def _how_many(apart: list[pl.Series]) -> int:
    """How many records these columns tell apart."""
    return pl.DataFrame(apart).n_unique() if len(apart[0]) else 0


def observed_labels(path: Source, *, columns: LongColumns | None = None, options: ReadOptions | None = None) -> list[str]:
    """Every label that occurs in a file; for experiments, because a universe made of them voids the guarantee."""
    options = _with_columns(options, columns)
    labels = _text_or_number(_frame(path, options)[options.columns.label])
    return [str(label) for label in labels.cast(pl.String).drop_nulls().unique().to_list() if label]


def write_long(
    path: Path,
    sequences: Ragged,
    *,
    universe: Universe,
    columns: LongColumns,
    file_format: FileFormat | StoredFormat,
    grid: TimeGrid | None = None,
) -> None:
    """Write the rows of `long_frame`."""
    frame = long_frame(sequences, universe=universe, columns=columns, grid=grid)
    write_frame(path, frame, stored=StoredFormat(file_format) if isinstance(file_format, FileFormat) else file_format)


def long_frame(sequences: Ragged, *, universe: Universe, columns: LongColumns, grid: TimeGrid | None = None) -> pl.DataFrame:
    """One row per symbol: a number for the record, the label, and the position that stands for the time.

    With a grid, the time is given instead: the beginning of the interval. Where the columns have no time, neither is there.
    """
    lengths = sequences.lengths
    labels = pl.Series(columns.label, universe.labels, dtype=pl.String)
    frame = pl.DataFrame(
        {
            columns.id: np.repeat(np.arange(1, len(sequences) + 1), lengths),
            columns.label: labels.gather(sequences.codes % len(universe)),
        }
    )
    if columns.time is None:
        if grid is not None:
            message = "times can only be written to a column; name it as time"
            raise ParameterError(message)
        return frame
    if grid is None:
        positions = np.arange(sequences.codes.size) - np.repeat(sequences.offsets[:-1], lengths) + 1
        return frame.with_columns(pl.Series(POSITION, positions.astype(np.int32)))
    beginnings = pl.Series(columns.time, grid.beginnings)
    return frame.with_columns(beginnings.gather(sequences.codes // len(universe)))


def _with_columns(options: ReadOptions | None, columns: LongColumns | None) -> ReadOptions:
    options = ReadOptions() if options is None else options
    return options if columns is None else options.with_columns(columns)


def _frame(path: Source, options: ReadOptions) -> pl.DataFrame:
    """The columns of a file or of a data frame, as they are."""
    if is_frame(path):
        return polars_frame(path, options.columns.names)
    file_format = options.format_for(path)
    if not file_format.is_long:
        message = f"the format {file_format} has no rows of events; read it as what it is"
        raise ParameterError(message)
    if file_format is FileFormat.PARQUET:
        return _parquet_frame(path, options.columns.names)
    dialect, source = options.dialect, spoken(path)
    if file_format is FileFormat.JSONL:
        data = input_text(path, encoding=dialect.encoding)
        return jsonl_frame(data, columns=options.columns, time_format=options.time_format, source=source)
    may_be_plain = dialect.header and dialect.comment is None and dialect.encoding == "utf-8"
    plain = plain_file(path) if may_be_plain else None
    return csv_frame(
        plain or without_comments(input_text(path, encoding=dialect.encoding), dialect.comment),
        columns=options.columns,
        dialect=dialect,
        separator=options.separator_for(path),
        time_format=options.time_format,
        source=source,
    )


def _parquet_frame(path: str | Path, names: list[str]) -> pl.DataFrame:
    try:
        if str(path) == STANDARD_INPUT:
            return pl.read_parquet(io.BytesIO(input_bytes(path)), columns=names)
        return pl.read_parquet(require_file(path), columns=names, glob=False)
    except (pl.exceptions.ColumnNotFoundError, pl.exceptions.SchemaFieldNotFoundError):
        message = f"{spoken(path)} must have the columns {', '.join(names)}; name those that it has instead"
    except POLARS_FAILURES:
        message = f"{spoken(path)} cannot be read as parquet: it is not a whole file of that format"
    raise InputError(message)


def _without_empty_rows(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    """Leave out rows in which all columns are empty, as an empty line of a CSV file is; refuse rows in which some are."""
    missing = [series.is_null() if series.dtype != pl.String else series.is_null() | (series == "") for series in frame]
    if any(bool(column.any()) for column in missing):
        empty = missing[0]
        for column in missing[1:]:
            empty = empty & column
        for name, column in zip(frame.columns, missing, strict=True):
            wrong = column & ~empty
            if bool(wrong.any()):
                row = int((~empty).slice(0, int(wrong.arg_max() or 0) + 1).sum())
                message = f"every row must have a value in the column {name!r}, row {row} has none"
                raise InputError(message)
        frame = frame.filter(~empty)
    if frame.is_empty():
        message = f"{source} has no rows"
        raise InputError(message)
    return frame


def _whole_numbers(ids: pl.Series) -> pl.Series:
    """Ids as integers if every one of them is written as integers are written, which groups faster; as they are if not."""
    numbers = _cast_in_parts(ids, pl.Int64())
    if numbers.null_count():
        return ids
    doubtful = ids < "1"  # with a sign or a zero in front
    written = ids.filter(doubtful)
    return numbers if bool((numbers.filter(doubtful).cast(pl.String) == written).all()) else ids


def _encode(labels: pl.Series, universe: Universe) -> pl.Series:
    """Codes of the labels, missing where a label is outside the universe."""
    return _cast_in_parts(_text_or_number(labels).cast(pl.String), pl.Enum(universe.labels)).to_physical()


def _cast_in_parts(texts: pl.Series, kind: pl.DataType) -> pl.Series:
    """Texts as another type, missing where they are none of it; one part of the column for each thread."""
    size = max(_SMALL, -(-len(texts) // pl.thread_pool_size()))
    parts = [texts.slice(start, size).to_frame().lazy() for start in range(0, len(texts), size)]
    done = pl.collect_all([part.select(pl.all().cast(kind, strict=False)) for part in parts])
    return pl.concat([part.to_series() for part in done], rechunk=True)


def _at_intervals(codes: pl.Series, places: pl.Series, labels: int) -> pl.Series:
    """Codes of label and interval together, missing where either is."""
    return codes.cast(pl.Int64) + places * labels


def _text_or_number(series: pl.Series) -> pl.Series:
    """Ids and labels must be equal exactly when they look equal; broken numbers, dates and bytes need not be."""
    texts = (pl.String, pl.Categorical, pl.Enum)
    if series.dtype in (pl.Int128, pl.UInt128):  # NumPy has no such numbers
        return series.cast(pl.String)
    if series.dtype.is_integer() or any(series.dtype == text for text in texts):
        return series
    message = f"the column {series.name!r} must hold texts or whole numbers, got {series.dtype}"
    raise InputError(message)
