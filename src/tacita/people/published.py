"""Published people: synthetic rows of a table, numbered, and the events of each number.

`rows.*` has a row for each synthetic person, whose number is in the column of persons; `events.*` has a row for each event of
that number, with its position if events have an order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError
from tacita.formats import FileFormat, StoredFormat, format_of
from tacita.io import (
    Framed,
    LongColumns,
    intact_file,
    long_frame,
    release_universe,
    require_kind,
    write_universe,
)
from tacita.io.formats import rows_of
from tacita.io.options import POSITION
from tacita.io.reading import writable_format
from tacita.io.release_files import released_rows
from tacita.io.sources import holds_nothing
from tacita.io.writing import write_frame
from tacita.pictures import Picture
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.universe import Universe
from tacita.tables.published import SCHEMA_INPUT, PublishedTable, write_columns
from tacita.tables.reopening import exact_rows, released_schema
from tacita.tables.schema import Schema

__all__ = ["PublishedPeople", "opened_people"]

EVENTS_FILE = "events"


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedPeople(Framed):
    """Synthetic people: `events[i]` belongs to row i of the table."""

    table: PublishedTable
    events: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
    columns: LongColumns

    @property
    def public(self) -> PublicInputs:
        """The public inputs they were made with."""
        return PublicInputs(universe=self.universe, others={SCHEMA_INPUT: self.table.schema})

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "people"

    @property
    def whole(self) -> str:
        """What is released, in a sentence."""
        return "people with their events"

    @property
    def file_format(self) -> FileFormat:
        """The format of both files."""
        return self.table.file_format

    def __len__(self) -> int:
        """The number of people."""
        return len(self.table)

    def pictures(self) -> list[Picture]:
        """Pictures of the table alone."""
        return self.table.pictures()

    def frame(self) -> pl.DataFrame:
        """The rows with their numbers."""
        return self._numbered(self.table.frame())

    def to_labels(self) -> list[list[object]]:
        """The values of each row, followed by the labels of its events, as Python lists; for small releases."""
        rows, labels = self.table.frame().iter_rows(), self.universe.labels
        return [[*row, *(labels[code] for code in own)] for row, own in zip(rows, self.events.to_lists(), strict=True)]

    def events_frame(self) -> pl.DataFrame:
        """The events with the numbers of their persons."""
        return long_frame(self.events, universe=self.universe, columns=self.columns)

    def _numbered(self, rows: pl.DataFrame) -> pl.DataFrame:
        kept = [name for name in rows.columns if name != self.columns.person]
        return rows.select(kept).insert_column(0, pl.Series(self.columns.person, np.arange(1, len(self) + 1)))

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `rows.*` and `events.*` in the named format, or in the one that the table came in; and what is public."""
        wanted = self.file_format if file_format is None else file_format
        stored = StoredFormat.parse(writable_format(wanted, self.universe))
        write_columns(folder, self.table.schema)
        write_universe(folder, self.universe)
        separator = self.table.separator
        write_frame(folder / f"{EVENTS_FILE}{stored.ending}", self.events_frame(), stored=stored, separator=separator)
        path = folder / f"rows{stored.ending}"
        write_frame(path, self._numbered(self.table.written(stored.file_format)), stored=stored, separator=separator)
        return path

    def fields(self, path: Path) -> dict[str, str]:
        """The columns of the rows; none if they are divided by what Croissant cannot tell."""
        return super().fields(path) if self.table.separator is None else {}


def opened_people(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedPeople:
    """The people of a release whose manifest was read; public inputs that are not given are taken from the folder."""
    require_kind(folder, manifest, kind="people")
    schema, universe = released_schema(folder, manifest, public), release_universe(folder, manifest, public.universe)
    files = {str(file["role"]).partition(".")[0]: str(file["name"]) for file in manifest["files"]}
    try:
        rows, separator = _rows(intact_file(folder, manifest, files["data"]), schema)
        events = _events(intact_file(folder, manifest, files[EVENTS_FILE]), rows.columns[0], separator)
        table = exact_rows(schema, rows, format_of(folder / files["data"]), separator=separator)
        person, label, *place = events.columns
        labels = pl.Series(universe.labels, dtype=pl.String), pl.Series(np.arange(len(universe), dtype=np.int32))
        codes = events[label].cast(pl.String).replace_strict(*labels, default=None)
        lists = _by_number(events[person].cast(pl.Int64), codes, len(rows))
        is_numbered = rows[person].cast(pl.Int64).to_list() == list(range(1, len(rows) + 1))
    except (KeyError, ValueError, ArithmeticError, pl.exceptions.PolarsError):
        is_numbered, place = False, ["?"]
    if not is_numbered or place not in ([], [POSITION]):
        message = f"the release {str(folder)!r} must hold numbered rows of the declared columns and their events; it does not"
        raise InputError(message) from None
    columns = LongColumns(person=person, label=label, time="time" if place else None)
    return PublishedPeople(table=table, events=lists, universe=universe, columns=columns)


def _is_empty(path: Path) -> bool:
    """Whether a file is text without a header that holds nothing."""
    return format_of(path).is_text and holds_nothing(path)


def _rows(path: Path, schema: Schema) -> tuple[pl.DataFrame, str | None]:
    """The rows of the people, and what divides the columns of both files if it is not a comma."""
    if _is_empty(path):
        return pl.DataFrame(schema=dict.fromkeys(("id", *schema.names), pl.String)), None
    return released_rows(path, schema.names)


def _events(path: Path, person: str, separator: str | None) -> pl.DataFrame:
    """The rows of the events."""
    if _is_empty(path):
        return pl.DataFrame(schema=dict.fromkeys((person, "label"), pl.String))
    return rows_of(format_of(path), separator=separator).released(path)


def _by_number(numbers: pl.Series, codes: pl.Series, people: int) -> Ragged:
    """One list for each number from 1 on; events are in the order in which they were written, by number."""
    owners = numbers.to_numpy() - 1
    if codes.null_count() or (owners.size and (np.any(np.diff(owners) < 0) or owners[0] < 0 or owners[-1] >= people)):
        raise KeyError
    return Ragged(codes.cast(pl.Int32).to_numpy(), offsets_of(np.bincount(owners, minlength=people)))
