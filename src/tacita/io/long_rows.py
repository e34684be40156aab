"""Long rows: one row per event, with the person's id, a label and a time; in any format that holds such rows.

All rows of one id are one record, ordered by time; rows with the same time are ordered by their labels, as the universe lists
them. Without a time column, the order within a record is undefined. If a column distinguishes the records of a person, they are
joined or capped, as `PerPerson` says. A row without a value that can be read in each of these columns is left out, whatever the
other rows are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays import Places
from tacita.arrays.parts import numbered_parts
from tacita.arrays.ragged import Ragged, without_stays
from tacita.errors import InputError, ParameterError
from tacita.formats import FileFormat, StoredFormat
from tacita.io.formats import STANDARD_INPUT, TextRows, rows_of
from tacita.io.frames import EVENT_OPTIONS, Source, is_frame, polars_frame
from tacita.io.misfits import NO_VALUE, Misfits
from tacita.io.options import POSITION, LongColumns, ReadOptions
from tacita.io.ordering import lists_of_people, lists_of_records
from tacita.io.sources import input_name, is_text, raw_text
from tacita.io.times import comparable_times, grid_places, time_rule
from tacita.io.values import exact_text, text_or_number
from tacita.io.writing import write_frames
from tacita.public.cells import CellGrid
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
    misfits: Misfits | None = None,
) -> tuple[Ragged, int]:
    """Read one list of codes per record; also return how many rows were dropped for a label outside the universe.

    With a grid, the code of a row is `interval * len(universe) + label`; a time outside the grid drops its row too. Rows that
    cannot be read are left out, and counted in `misfits`.
    """
    misfits = Misfits() if misfits is None else misfits
    options = ReadOptions.of(options, columns=columns)
    lists, dropped, _ = long_lists(path, misfits, universe=universe, options=options, grid=grid)
    return lists, dropped


def long_lists(
    path: Source, misfits: Misfits, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None = None
) -> tuple[Ragged, int, int]:
    """The result of `read_long`, and the number of records that lost all their rows.

    Points that follow each other in one cell are one visit: a clock makes them, not a person.
    """
    rows = long_events(path, misfits, universe=universe, options=options, grid=grid)
    if rows.records is None:
        lists = lists_of_people(rows.codes, rows.ids, rows.times)
    else:
        lists = lists_of_records(rows.codes, rows.ids, rows.times, records=rows.records, per_person=options.per_person)
    return (lists if universe.cells is None else without_stays(lists)), rows.dropped, rows.emptied


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


def long_events(
    path: Source, misfits: Misfits, *, universe: Universe, options: ReadOptions, grid: TimeGrid | None = None
) -> LongEvents:
    """The rows of a file in their order, with the same codes as `read_long`."""
    options = options.placed(universe)
    frame = without_empty_rows(_frame(path, options, misfits))
    rows = event_columns(frame, misfits, universe=universe, options=options, grid=grid)
    del frame
    if rows.codes.is_empty():
        raise InputError(misfits.no_rows(input_name(path)))
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
    frame: pl.DataFrame,
    misfits: Misfits,
    *,
    universe: Universe,
    options: ReadOptions,
    grid: TimeGrid | None,
    unlabelled: bool = False,
) -> EventColumns:
    """The columns of a frame, encoded; a row that does not fit is left out, and every row is judged on its own.

    With `unlabelled`, rows without a label stay, as rows with one outside the universe do: of a stream they say who was there.
    """
    columns = options.columns
    if grid is not None and columns.time is None:
        message = "a time grid needs the column that holds the times; name it as time"
        raise ParameterError(message)
    ids, places = text_or_number(frame[columns.person]), _places(frame, columns)
    times = None if columns.time is None else comparable_times(frame[columns.time], options.time_format)
    records = None if columns.record is None else text_or_number(frame[columns.record])
    known = {columns.person: ids, columns.time or "": times, columns.record or "": records}
    if not unlabelled:
        known |= {series.name: series for series in places}
    fits = _fitting({name: values for name, values in known.items() if values is not None}, options, misfits)
    if fits is not None:
        ids, places = ids.filter(fits), [series.filter(fits) for series in places]
        times = None if times is None else times.filter(fits)
        records = None if records is None else records.filter(fits)
    codes = _encode(places[0], universe) if universe.cells is None else _encode_points(places, universe.cells)
    if grid is not None and times is not None:
        codes = _at_intervals(codes, grid_places(times, grid, time_format=options.time_format), len(universe))
    return EventColumns(codes=codes, ids=ids, times=times, records=records)


def _places(frame: pl.DataFrame, columns: LongColumns) -> list[pl.Series]:
    """The labels of rows, or the degrees of points; what is no number is null, whatever the other rows are."""
    if columns.latitude is None or columns.longitude is None:
        return [text_or_number(frame[columns.label])]
    found = []
    for series in (frame[columns.latitude], frame[columns.longitude]):
        numbers = series if series.dtype.is_numeric() else exact_text(series)
        degrees = numbers.cast(pl.Float64, strict=False)
        found.append(degrees.set((~degrees.is_finite()).fill_null(value=True), None))
    return found


def _encode_points(degrees: Sequence[pl.Series], cells: CellGrid) -> pl.Series:
    """The cells of points, null outside the box."""
    latitudes, longitudes = (series.fill_null(float("nan")).to_numpy() for series in degrees)
    codes = pl.Series(cells.codes(latitudes, longitudes))
    return codes.set(codes < 0, None)


def _fitting(known: Mapping[str, pl.Series], options: ReadOptions, misfits: Misfits) -> pl.Series | None:
    """Which rows have a value in each column; None if all have. A row is counted for the first column that lacks one."""
    fits: pl.Series | None = None
    for name, values in known.items():
        lacks = values.is_null() | (values == "") if values.dtype == pl.String else values.is_null()
        if not bool(lacks.any()):
            continue
        lacks = lacks.fill_null(value=True)
        rule = time_rule(options.time_format) if name == options.columns.time else NO_VALUE
        misfits.add(name, rule, int((lacks if fits is None else lacks & fits).sum()))
        fits = ~lacks if fits is None else fits & ~lacks
    return fits


def event_rows(
    path: Source, *, universe: Universe, options: ReadOptions, grid: TimeGrid, misfits: Misfits | None = None
) -> pl.DataFrame:
    """One row per event in the order of the file: `place` in the grid, `id` and `code`; place and code are null outside."""
    if options.columns.time is None:
        message = "events need the column that holds the times; name it as time"
        raise ParameterError(message)
    misfits, options = Misfits() if misfits is None else misfits, options.placed(universe)
    frame = without_empty_rows(_frame(path, options, misfits))
    if misfits.has_lines and not is_frame(path) and str(path) != STANDARD_INPUT:
        frame = pl.concat([frame.cast(pl.String), _unlabelled_rows(path, options).select(frame.columns)])
    rows = event_columns(frame, misfits, universe=universe, options=options, grid=None, unlabelled=True)
    if rows.codes.is_empty():
        raise InputError(misfits.no_rows(input_name(path)))
    times = pl.Series(dtype=pl.Int64) if rows.times is None else rows.times
    return pl.DataFrame(
        {
            "place": grid_places(times, grid, time_format=options.time_format),
            "id": rows.ids,
            "code": rows.codes,
        }
    )


def _unlabelled_rows(path: Source, options: ReadOptions) -> pl.DataFrame:
    """The events of lines whose status makes them unreadable: a person, a time and no label.

    Where presence is public, a status must not decide whether its person is there. So a line of text that is left out because of
    its quotation marks, a separator too many, bytes that are no text or a number that JSON does not have is read once more, by
    itself: if there are a person and a time beside what is too much, the event counts without a label.
    """
    reader, columns = rows_of(options.format_for(path)), options.columns
    found: list[tuple[str, str]] = []
    if isinstance(reader, TextRows):
        lines = raw_text(path, options.dialect.encoding).replace("\r\n", "\n").split("\n")
        found = list(reader.unlabelled(lines, path, options))
    whole = [row for row in found if all(part and is_text(part) for part in row)]
    people, times = (pl.Series([row[place] for row in whole], dtype=pl.String) for place in (0, 1))
    nothing = dict.fromkeys(columns.names, pl.Series([None] * len(whole), dtype=pl.String))
    return pl.DataFrame({**nothing, columns.person: people, columns.time or "": times})


def _how_many(apart: list[pl.Series]) -> int:
    """How many distinct records these columns identify."""
    return pl.DataFrame(apart).n_unique() if len(apart[0]) else 0


def observed_labels(path: Source, *, columns: LongColumns | None = None, options: ReadOptions | None = None) -> list[str]:
    """Every label that occurs in a file; for experiments, because a universe made of them voids the guarantee."""
    options = ReadOptions.of(options, columns=columns)
    labels = text_or_number(_frame(path, options, Misfits())[options.columns.label])
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
    """One row per symbol: a number for the record, the label, and the position that represents the time.

    With a grid, the time (the beginning of the interval) replaces the position. Without a time column there is neither.
    """
    lengths = sequences.lengths
    labels = pl.Series(columns.label, universe.labels, dtype=pl.String)
    frame = pl.DataFrame(
        {
            columns.person: np.repeat(np.arange(first + 1, first + len(sequences) + 1), lengths),
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


def _frame(path: Source, options: ReadOptions, misfits: Misfits) -> pl.DataFrame:
    """The columns of a file or of a data frame, as they are."""
    if is_frame(path):
        return polars_frame(path, options.columns.names, mapped_by=EVENT_OPTIONS)
    file_format = options.format_for(path)
    if not file_format.is_long:
        message = f"the format {file_format} has no rows of events; use the reader for that format"
        raise ParameterError(message)
    return rows_of(file_format).events(path, options, misfits)


def without_empty_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out rows in which all columns are empty, such as empty lines of a CSV file."""
    empty: pl.Series | None = None
    for series in frame:
        missing = series.is_null() | (series == "") if series.dtype == pl.String else series.is_null()
        empty = missing if empty is None else empty & missing
        if not bool(empty.any()):
            return frame
    return frame if empty is None else frame.filter(~empty.fill_null(value=True))


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
    return _cast_in_parts(labels.cast(pl.String), pl.Enum(universe.labels)).to_physical()


def _cast_in_parts(strings: pl.Series, kind: pl.DataType) -> pl.Series:
    """Cast strings to another type, null where that fails; one part of the column per thread."""
    size = max(_SMALL, -(-len(strings) // pl.thread_pool_size()))
    parts = [strings.slice(start, size).to_frame().lazy() for start in range(0, max(1, len(strings)), size)]
    done = pl.collect_all([part.select(pl.all().cast(kind, strict=False)) for part in parts])
    return pl.concat([part.to_series() for part in done], rechunk=True)


def _at_intervals(codes: pl.Series, places: pl.Series, labels: int) -> pl.Series:
    """Codes of label and interval together, null where either is."""
    return codes.cast(pl.Int64) + places * labels
