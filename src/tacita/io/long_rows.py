"""Long rows: one row per event, with the person's id, a label and a time; in any format that holds such rows.

All rows of one id are one record, ordered by time; rows with the same time are ordered by their labels, as the universe lists
them. Without a time column, the order within a record is undefined. If a column distinguishes the records of a person, they are
joined or capped, as `PerPerson` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays import Places
from tacita.arrays.parts import numbered_parts
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.formats import FileFormat, StoredFormat
from tacita.io.formats import rows_of
from tacita.io.frames import EVENT_OPTIONS, Source, is_frame, polars_frame
from tacita.io.options import POSITION, LongColumns, ReadOptions
from tacita.io.ordering import lists_of_people, lists_of_records
from tacita.io.sources import input_name
from tacita.io.times import comparable_times, grid_places
from tacita.io.writing import write_frames
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = [
    "EventColumns",
    "LongEvents",
    "event_columns",
    "event_rows",
    "long_events",
    "long_frame",
    "long_frames",
    "long_lists",
    "no_rows",
    "observed_labels",
    "read_long",
    "without_empty_rows",
    "write_long",
]

_SMALL = 100_000


def read_long(
    path: str | Path,
    *,
    universe: Universe,
    columns: LongColumns | None = None,
    options: ReadOptions | None = None,
    grid: TimeGrid | None = None,
) -> tuple[Ragged, int]:
    """Read one list of codes per record; also return how many rows were dropped for a label outside the universe.

    With a grid, the code of a row is `interval * len(universe) + label`; a time outside the grid drops its row too.
    """
    lists, dropped, _ = long_lists(path, universe=universe, options=ReadOptions.of(options, columns=columns), grid=grid)
    return lists, dropped


def long_lists(
    path: Source, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None = None
) -> tuple[Ragged, int, int]:
    """The result of `read_long`, and the number of records that lost all their rows."""
    rows = long_events(path, universe=universe, options=options, grid=grid)
    if rows.records is None:
        return lists_of_people(rows.codes, rows.ids, rows.times), rows.dropped, rows.emptied
    lists = lists_of_records(rows.codes, rows.ids, rows.times, records=rows.records, per_person=options.per_person)
    return lists, rows.dropped, rows.emptied


@dataclass(frozen=True, kw_only=True, eq=False)
class EventColumns:
    """Rows of events in the order of their source; the code of a row outside the universe or the grid is null."""

    codes: pl.Series
    ids: pl.Series
    times: pl.Series | None
    records: pl.Series | None

    def chosen(self, rows: Places) -> EventColumns:
        """Some of the rows."""
        return EventColumns(
            codes=self.codes[rows],
            ids=self.ids[rows],
            times=None if self.times is None else self.times[rows],
            records=None if self.records is None else self.records[rows],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class LongEvents:
    """The rows of a file inside the universe and the grid, and how many are outside; `emptied` records have no row left."""

    codes: pl.Series
    ids: pl.Series
    times: pl.Series | None
    records: pl.Series | None
    dropped: int
    emptied: int


def long_events(path: Source, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None = None) -> LongEvents:
    """The rows of a file in their order, with the same codes as `read_long`."""
    source = input_name(path)
    frame = without_empty_rows(_frame(path, options))
    if frame.is_empty():
        raise InputError(no_rows(source))
    rows = event_columns(frame, universe=universe, options=options, grid=grid, source=source)
    del frame
    codes, times, records = rows.codes, rows.times, rows.records
    ids = _whole_numbers(rows.ids) if rows.ids.dtype == pl.String else rows.ids
    dropped, emptied = codes.null_count(), 0
    if dropped:
        inside = codes.is_not_null()
        apart = [ids] if records is None or options.per_person.most is None else [ids, records]
        emptied = _how_many(apart) - _how_many([series.filter(inside) for series in apart])
        codes, ids = codes.filter(inside), ids.filter(inside)
        times = None if times is None else times.filter(inside)
        records = None if records is None else records.filter(inside)
    return LongEvents(codes=codes, ids=ids, times=times, records=records, dropped=dropped, emptied=emptied)


def event_columns(
    frame: pl.DataFrame, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None, source: str
) -> EventColumns:
    """The columns of a frame, checked and encoded; every row is judged on its own."""
    columns = options.columns
    if grid is not None and columns.time is None:
        message = "a time grid needs the column that holds the times; name it as time"
        raise ParameterError(message)
    codes = _encode(frame[columns.label], universe)
    ids = _text_or_number(frame[columns.id])
    times = None if columns.time is None else comparable_times(frame[columns.time], options.time_format, source=source)
    records = None if columns.record is None else _text_or_number(frame[columns.record])
    if grid is not None and times is not None:
        codes = _at_intervals(codes, grid_places(times, grid, time_format=options.time_format, source=source), len(universe))
    return EventColumns(codes=codes, ids=ids, times=times, records=records)


def event_rows(path: Source, *, universe: Universe, options: ReadOptions, grid: TimeGrid) -> pl.DataFrame:
    """One row per event in the order of the file: `place` in the grid, `id` and `code`; place and code are null outside."""
    columns, source = options.columns, input_name(path)
    if columns.time is None:
        message = "events need the column that holds the times; name it as time"
        raise ParameterError(message)
    frame = without_empty_rows(_frame(path, options))
    if frame.is_empty():
        raise InputError(no_rows(source))
    times = comparable_times(frame[columns.time], options.time_format, source=source)
    return pl.DataFrame(
        {
            "place": grid_places(times, grid, time_format=options.time_format, source=source),
            "id": _text_or_number(frame[columns.id]),
            "code": _encode(frame[columns.label], universe),
        }
    )


def _how_many(apart: list[pl.Series]) -> int:
    """How many distinct records these columns identify."""
    return pl.DataFrame(apart).n_unique() if len(apart[0]) else 0


def observed_labels(path: Source, *, columns: LongColumns | None = None, options: ReadOptions | None = None) -> list[str]:
    """Every label that occurs in a file; for experiments, because a universe made of them voids the guarantee."""
    options = ReadOptions.of(options, columns=columns)
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
    """Write the rows of `long_frame`, part by part."""
    stored = StoredFormat(file_format) if isinstance(file_format, FileFormat) else file_format
    write_frames(path, long_frames(sequences, universe=universe, columns=columns, grid=grid), stored=stored)


def long_frames(
    sequences: Ragged, *, universe: Universe, columns: LongColumns, grid: TimeGrid | None = None
) -> Iterator[pl.DataFrame]:
    """The rows of `long_frame`, part by part; there is one part at least."""
    for first, part in numbered_parts(sequences):
        yield long_frame(part, universe=universe, columns=columns, grid=grid, first=first)


def long_frame(
    sequences: Ragged, *, universe: Universe, columns: LongColumns, grid: TimeGrid | None = None, first: int = 0
) -> pl.DataFrame:
    """One row per symbol: a number for the record, the label, and the position that stands for the time.

    With a grid, the time (the beginning of the interval) replaces the position. Without a time column there is neither.
    """
    lengths = sequences.lengths
    labels = pl.Series(columns.label, universe.labels, dtype=pl.String)
    frame = pl.DataFrame(
        {
            columns.id: np.repeat(np.arange(first + 1, first + len(sequences) + 1), lengths),
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


def _frame(path: Source, options: ReadOptions) -> pl.DataFrame:
    """The columns of a file or of a data frame, as they are."""
    if is_frame(path):
        return polars_frame(path, options.columns.names, mapped_by=EVENT_OPTIONS)
    file_format = options.format_for(path)
    if not file_format.is_long:
        message = f"the format {file_format} has no rows of events; use the reader for that format"
        raise ParameterError(message)
    return rows_of(file_format).events(path, options)


def without_empty_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out rows in which all columns are empty, such as empty lines of a CSV file; refuse rows in which only some are."""
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
    return frame


def no_rows(source: str) -> str:
    """What is wrong with a source without rows."""
    return f"{source} has no rows"


def _whole_numbers(ids: pl.Series) -> pl.Series:
    """Ids as integers, which group faster, if each is written in the usual form of an integer; otherwise unchanged."""
    numbers = _cast_in_parts(ids, pl.Int64())
    if numbers.null_count():
        return ids
    doubtful = ids < "1"  # with a leading sign or zero
    written = ids.filter(doubtful)
    return numbers if bool((numbers.filter(doubtful).cast(pl.String) == written).all()) else ids


def _encode(labels: pl.Series, universe: Universe) -> pl.Series:
    """Codes of the labels, null where a label is outside the universe."""
    return _cast_in_parts(_text_or_number(labels).cast(pl.String), pl.Enum(universe.labels)).to_physical()


def _cast_in_parts(strings: pl.Series, kind: pl.DataType) -> pl.Series:
    """Cast strings to another type, null where that fails; one part of the column per thread."""
    size = max(_SMALL, -(-len(strings) // pl.thread_pool_size()))
    parts = [strings.slice(start, size).to_frame().lazy() for start in range(0, len(strings), size)]
    done = pl.collect_all([part.select(pl.all().cast(kind, strict=False)) for part in parts])
    return pl.concat([part.to_series() for part in done], rechunk=True)


def _at_intervals(codes: pl.Series, places: pl.Series, labels: int) -> pl.Series:
    """Codes of label and interval together, null where either is."""
    return codes.cast(pl.Int64) + places * labels


def _text_or_number(series: pl.Series) -> pl.Series:
    """Refuse other types: ids and labels must be equal exactly when they look equal, unlike fractions, dates and bytes."""
    string_types = (pl.String, pl.Categorical, pl.Enum)
    if series.dtype in (pl.Int128, pl.UInt128):  # NumPy has no such numbers
        return series.cast(pl.String)
    if series.dtype.is_integer() or any(series.dtype == string_type for string_type in string_types):
        return series
    message = f"the column {series.name!r} must hold strings or whole numbers, got {series.dtype}"
    raise InputError(message)
