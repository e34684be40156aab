"""Reading trajectories: rows of (id, location, time), or of GPS points, and a table of attributes by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Numbers
from tacita.arrays.ragged import Ragged, distinct, offsets_of
from tacita.errors import InputError, ParameterError
from tacita.io import FileFormat, LongColumns, Source, dataset_name, format_of
from tacita.io.columns import table_columns
from tacita.io.long_rows import LongEvents, long_events
from tacita.io.misfits import Misfits
from tacita.io.sources import input_name
from tacita.io.values import exact_text
from tacita.kinds.words import output_format as list_format
from tacita.kinds.words import timed_reading
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.trajectories.generalization import in_groups
from tacita.trajectories.places import PLACES, PlaceGroups
from tacita.trajectories.records import TrajectoryReading, TrajectoryRecords

__all__ = [
    "no_trajectories",
    "output_format",
    "read_for_kind",
    "read_trajectories",
    "reading_for_kind",
]


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

    Where the universe is that of a grid of cells, rows are points: (id, latitude, longitude, time). Places outside the universe
    and times outside the grid are dropped, or refused if `strict`. All rows of an id are one record, unless the options name the
    column that tells records apart and cap a person's records; persons are counted in either case.
    """
    instance_of(options, TrajectoryReading, NoneType, name="the options of reading")
    options = TrajectoryReading() if options is None else options
    name = dataset_name(path, name)
    options = replace(options, rows=options.rows.placed(universe))
    misfits = Misfits()
    try:
        rows = long_events(path, misfits, universe=universe, options=options.rows, grid=grid)
    except pl.exceptions.PolarsError:
        message = f"{input_name(path)} cannot be read: its columns do not hold what they should"
        raise InputError(message) from None
    if strict:
        misfits.refuse(input_name(path))
    if rows.dropped and strict:
        message = (
            f"every row of {input_name(path)} must lie in the universe and the grid, some do not; without strict they are dropped"
        )
        raise InputError(message)
    file_format = options.rows.format_for(path)
    records = _records(rows, options, misfits, universe=universe, grid=grid, name=name, file_format=file_format)
    return replace(records, misfits=misfits)


def _records(  # noqa: PLR0913 - what records depend on
    rows: LongEvents,
    options: TrajectoryReading,
    misfits: Misfits,
    *,
    universe: Universe,
    grid: TimeGrid,
    name: str,
    file_format: FileFormat,
) -> TrajectoryRecords:
    """Records from rows that were read, with their attributes."""
    lists, persons, ids = _grouped(rows, options, symbols=len(universe) * grid.intervals)
    most = options.rows.per_person.most
    points = "points were replaced by the cells of a public grid that they lie in"
    rules: tuple[str, ...] = () if universe.cells is None else (points,)
    rules += () if most is None else (f"of each person at most {most} trajectories were kept, the first in order of time",)
    records = TrajectoryRecords(
        trajectories=lists,
        universe=universe,
        grid=grid,
        persons=persons,
        attributes=None
        if options.attributes is None
        else _attributes(options.attributes, ids, options.rows.columns.person, misfits),
        name=name,
        file_format=file_format,
        columns=options.rows.named_columns,
        dropped_rows=rows.dropped,
        read_rules=rules,
    )
    return records.with_quasi_identifiers(options.quasi_identifiers) if options.quasi_identifiers else records


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
    places = public.others.get(PLACES)
    universe = places.fine if isinstance(places, PlaceGroups) else public.required_universe()
    grid = _required_grid(public)
    records = read_trajectories(source, universe=universe, grid=grid, options=options, name=name, strict=strict)
    return in_groups(records, places) if isinstance(places, PlaceGroups) else records


def no_trajectories(*, public: PublicInputs, options: TrajectoryReading, name: str) -> TrajectoryRecords:
    """Trajectories of nobody, for a rehearsal."""
    del options
    nothing = Ragged.from_lists([])
    universe, grid = public.required_universe(), _required_grid(public)
    return TrajectoryRecords(trajectories=nothing, universe=universe, grid=grid, name=name)


def _required_grid(public: PublicInputs) -> TimeGrid:
    if public.grid is None:
        message = "trajectories are pairs of a place and a time, so a public grid of times must be given"
        raise ParameterError(message)
    return public.grid


def _grouped(rows: LongEvents, options: TrajectoryReading, *, symbols: int) -> tuple[Ragged, Numbers | None, pl.Series]:
    """One set of codes per record, the person of each, and the id of each person."""
    most = options.rows.per_person.most
    frame = pl.DataFrame([rows.codes.cast(pl.Int64).alias("code"), rows.ids.alias("id")])
    if most is None or rows.records is None:
        frame = frame.with_columns(pl.col("id").rank("dense").cast(pl.Int64).alias("record")).with_columns(
            (pl.col("record") - 1).alias("person")
        )
    else:
        times = pl.Series(np.zeros(len(frame), dtype=np.int8)) if rows.times is None else rows.times
        times = times.rank("dense") if isinstance(times.dtype, pl.Struct) else times
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


def _attributes(path: Path, ids: pl.Series, column: str, misfits: Misfits) -> pl.DataFrame:
    """The attributes of these ids in their order; a person without a row has none, and of several rows the first counts."""
    found = table_columns(path, lambda header: header, misfits, file_format=format_of(path))
    key = column if column in found.columns else LongColumns().person
    if key not in found.columns:
        message = f"{input_name(path)} must have a column {column!r} and one column per attribute; it has no such column"
        raise InputError(message)
    table = pl.DataFrame([exact_text(series) for series in found]).rename({key: "tacita id"})
    first = table["tacita id"].is_first_distinct() & table["tacita id"].is_not_null()
    misfits.add(column, "another row of attributes of the same person, or of nobody", int((~first).sum()))
    table = table.filter(first)
    wanted = pl.DataFrame({"tacita id": ids.cast(pl.String)})
    return wanted.join(table, on="tacita id", how="left", maintain_order="left").drop("tacita id")
