"""Reading trajectories: rows of (id, location, time), or of GPS points, and a table of attributes by id."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.distinct import distinct
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError, ParameterError
from tacita.io import AutoTime, FileFormat, LongColumns, Source, dataset_name, format_of
from tacita.io.frames import is_frame
from tacita.io.long_rows import LongEvents, long_events
from tacita.io.sources import input_name, input_text
from tacita.io.times import TimeFormat, comparable_times, grid_places
from tacita.kinds.words import output_format as list_format
from tacita.kinds.words import timed_reading
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.trajectories.cells import CellGrid
from tacita.trajectories.records import TrajectoryReading, TrajectoryRecords

__all__ = ["no_trajectories", "output_format", "read_for_kind", "read_points", "read_trajectories", "reading_for_kind"]


def read_trajectories(
    path: str | Path,
    *,
    universe: Universe,
    grid: TimeGrid,
    options: TrajectoryReading | None = None,
    name: str | None = None,
    strict: bool = False,
) -> TrajectoryRecords:
    """Read rows of (id, label, time) from Parquet, CSV, JSON lines or a data frame; `-` is standard input.

    Places outside the universe and times outside the grid are dropped, or refused if `strict`. All rows of an id are one record,
    unless the options name the column that tells records apart and cap a person's records; persons are counted in either case.
    """
    options = TrajectoryReading() if options is None else options
    name = dataset_name(path, name)
    try:
        rows = long_events(path, universe=universe, options=options.rows, grid=grid)
    except pl.exceptions.PolarsError:
        message = f"{input_name(path)} cannot be read: its columns do not hold what they should"
        raise InputError(message) from None
    if rows.dropped and strict:
        message = (
            f"every row of {input_name(path)} must lie in the universe and the grid, some do not; without strict they are dropped"
        )
        raise InputError(message)
    lists, persons, ids = _grouped(rows, options, symbols=len(universe) * grid.intervals)
    most = options.rows.per_person.most
    rules = () if most is None else (f"of each person at most {most} trajectories were kept, the first in order of time",)
    records = TrajectoryRecords(
        trajectories=lists,
        universe=universe,
        grid=grid,
        persons=persons,
        attributes=None if options.attributes is None else _attributes(options.attributes, ids, options.rows.columns.id),
        name=name,
        file_format=FileFormat.PARQUET if is_frame(path) else options.rows.format_for(path),
        columns=options.rows.named_columns,
        dropped_rows=rows.dropped,
        read_rules=rules,
    )
    return records.with_quasi_identifiers(options.quasi_identifiers) if options.quasi_identifiers else records


def read_points(
    path: str | Path,
    *,
    cells: CellGrid,
    grid: TimeGrid,
    columns: tuple[str, str, str, str] = ("id", "latitude", "longitude", "time"),
    time_format: TimeFormat | None = None,
    name: str | None = None,
) -> TrajectoryRecords:
    """Read GPS points from Parquet or CSV; `columns` name the person, the latitude, the longitude and the time."""
    person, latitude, longitude, time = columns
    try:
        if format_of(path) is FileFormat.PARQUET:
            frame = pl.read_parquet(path, columns=list(columns), glob=False)
        else:
            frame = pl.read_csv(input_text(path), columns=list(columns), infer_schema=False)
        frame = frame.with_columns(pl.col(latitude, longitude).cast(pl.Float64))
    except (pl.exceptions.PolarsError, ValueError):
        message = (
            f"{input_name(path)} must be csv or parquet with the columns {', '.join(columns)}, coordinates in degrees; it is not"
        )
        raise InputError(message) from None
    if frame.is_empty() or any(frame[name].null_count() for name in columns):
        message = f"{input_name(path)} must have rows, with a value in each of the columns {', '.join(columns)}"
        raise InputError(message)
    places = cells.codes(frame[latitude].to_numpy(), frame[longitude].to_numpy())
    time_format = AutoTime() if time_format is None else time_format
    times = comparable_times(frame[time], time_format, source=input_name(path))
    intervals = grid_places(times, grid, time_format=time_format, source=input_name(path)).fill_null(-1).to_numpy()
    inside = (places >= 0) & (intervals >= 0)
    codes = pl.Series((intervals * len(cells.universe) + places)[inside])
    rows = LongEvents(
        codes=codes, ids=frame[person].filter(inside), times=None, records=None, dropped=int(np.count_nonzero(~inside)), emptied=0
    )
    lists, persons, _ = _grouped(rows, TrajectoryReading(), symbols=len(cells.universe) * grid.intervals)
    return TrajectoryRecords(
        trajectories=lists,
        universe=cells.universe,
        grid=grid,
        persons=persons,
        name=dataset_name(path, name),
        dropped_rows=rows.dropped,
        read_rules=("points were replaced by the cells of a public grid that they lie in",),
    )


def reading_for_kind(given: Mapping[str, Any]) -> TrajectoryReading:
    """How a file is read, from what was typed."""
    rows = timed_reading(given)
    attributes = given.get("attributes")
    return TrajectoryReading(
        rows=rows,
        attributes=None if attributes is None else Path(attributes),
        quasi_identifiers=tuple(given.get("quasi_identifiers") or ()),
    )


def output_format(source: str, *, options: TrajectoryReading, public: PublicInputs, wanted: str | None) -> str:
    """The format of the release, checked before anything is read."""
    return list_format(source, options=options.rows, public=public, wanted=wanted)


def read_for_kind(
    source: Source, *, public: PublicInputs, options: TrajectoryReading, name: str | None = None, strict: bool = False
) -> TrajectoryRecords:
    """Read trajectories as the registration of the kind asks for it."""
    grid = _required_grid(public)
    return read_trajectories(source, universe=public.required_universe(), grid=grid, options=options, name=name, strict=strict)


def no_trajectories(*, public: PublicInputs, options: TrajectoryReading, name: str) -> TrajectoryRecords:
    """Trajectories of nobody, for a rehearsal."""
    del options
    return TrajectoryRecords(
        trajectories=Ragged.from_lists([]), universe=public.required_universe(), grid=_required_grid(public), name=name
    )


def _required_grid(public: PublicInputs) -> TimeGrid:
    if public.grid is None:
        message = "trajectories are pairs of a place and a time, so a public grid of times must be given"
        raise ParameterError(message)
    return public.grid


def _grouped(
    rows: LongEvents, options: TrajectoryReading, *, symbols: int
) -> tuple[Ragged, npt.NDArray[np.int32] | None, pl.Series]:
    """One set of codes per record, the person of each, and the id of each person."""
    most = options.rows.per_person.most
    frame = pl.DataFrame([rows.codes.cast(pl.Int64).alias("code"), rows.ids.alias("id")])
    if most is None or rows.records is None:
        frame = frame.with_columns(pl.col("id").rank("dense").cast(pl.Int64).alias("record")).with_columns(
            (pl.col("record") - 1).alias("person")
        )
    else:
        times = pl.Series(np.zeros(len(frame), dtype=np.int8)) if rows.times is None else rows.times
        frame = frame.with_columns(rows.records.alias("own"), times.alias("time")).with_row_index("row")
        one = ("id", "own")
        frame = frame.with_columns(pl.col("time").min().over(one).alias("begin"), pl.col("row").min().over(one).alias("first"))
        frame = frame.with_columns(pl.struct("begin", "first").rank("dense").over("id").alias("place"))
        frame = frame.filter(pl.col("place") <= most)
        frame = frame.with_columns(
            pl.struct("id", "place").rank("dense").cast(pl.Int64).alias("record"),
            (pl.col("id").rank("dense").cast(pl.Int64) - 1).alias("person"),
        )
    frame = frame.select("record", "person", "code", "id").sort("record", "code")
    sizes = frame.group_by("record", maintain_order=True).len()["len"].to_numpy()
    lists = distinct(Ragged(frame["code"].cast(pl.Int32).to_numpy(), offsets_of(sizes.astype(np.int64))), symbols=symbols)
    heads = frame.unique("record", keep="first", maintain_order=True)
    ids = frame.unique("person", keep="first", maintain_order=True).sort("person")["id"]
    persons = heads["person"].to_numpy().astype(np.int32)
    return lists, None if most is None else persons, ids


def _attributes(path: Path, ids: pl.Series, column: str) -> pl.DataFrame:
    """The attributes of these ids in their order; a person without a row has none."""
    try:
        if format_of(path) is FileFormat.PARQUET:
            table = pl.read_parquet(path, glob=False).with_columns(pl.all().cast(pl.String))
        else:
            table = pl.read_csv(input_text(path), infer_schema=False)
        key = column if column in table.columns else LongColumns().id
        table = table.with_columns(pl.col(key).alias("tacita id")).drop(key)
    except (pl.exceptions.PolarsError, ValueError):
        message = f"{input_name(path)} must be csv or parquet with a column {column!r} and one column per attribute; it is not"
        raise InputError(message) from None
    if table["tacita id"].n_unique() != len(table):
        message = f"every id must have one row in {input_name(path)}, some have several"
        raise InputError(message)
    wanted = pl.DataFrame({"tacita id": ids.cast(pl.String)})
    return wanted.join(table, on="tacita id", how="left", maintain_order="left").drop("tacita id")
