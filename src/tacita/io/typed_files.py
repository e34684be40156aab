"""Files whose values have types: Parquet, Arrow and workbooks.

Of Parquet, whose rows are compressed inside, only the columns that are asked for are read. Of Arrow files, also called Feather,
the columns of edges are. Of workbooks of Excel and the like the first sheet is, every cell as text by itself.

A cell of a workbook holds a text, a number, a truth value or a date of its own, whatever the others of its column hold; so it
becomes text by itself. Excel keeps numbers as doubles: one of 2^53 or more may have been another, and such a cell counts as
empty. A workbook is held in memory whole.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from math import isfinite
from pathlib import Path

import polars as pl

from tacita.errors import InputError, ParameterError
from tacita.formats import Compression
from tacita.io import sources
from tacita.io.columns import POLARS_FAILURES, ROWS, no_columns, picked, require_columns
from tacita.io.formats import STANDARD_INPUT, Chosen, require_file
from tacita.io.frames import EVENT_OPTIONS
from tacita.io.misfits import Misfits
from tacita.io.options import ReadOptions, TextDialect
from tacita.io.sources import input_bytes, input_name
from tacita.io.values import LARGEST_EXACT

__all__ = ["ARROW", "PARQUET", "sheet_rows"]


class Parquet:
    """Reads and writes Parquet."""

    def events(self, path: str | Path, options: ReadOptions, misfits: Misfits) -> pl.DataFrame:  # noqa: ARG002 - values have types
        """The columns of a whole file of events."""
        names = options.columns.names
        try:
            if str(path) == STANDARD_INPUT:
                return pl.read_parquet(io.BytesIO(input_bytes(path)), columns=names)
            return pl.read_parquet(require_file(path), columns=names, glob=False)
        except (pl.exceptions.ColumnNotFoundError, pl.exceptions.SchemaFieldNotFoundError):
            raise InputError(_no_columns(path, names)) from None
        except POLARS_FAILURES:
            raise InputError(_incomplete(path)) from None

    def event_parts(self, path: str | Path, options: ReadOptions, misfits: Misfits) -> Iterator[pl.DataFrame]:
        """The same in batches; standard input is read as a whole."""
        if str(path) == STANDARD_INPUT:
            yield from self.events(path, options, misfits).iter_slices(sources.ROWS)
            return
        file, names = require_file(path), options.columns.names
        try:
            yield from (
                pl.scan_parquet(file, glob=False).select(names).collect_batches(chunk_size=sources.ROWS, maintain_order=False)
            )
        except (pl.exceptions.ColumnNotFoundError, pl.exceptions.SchemaFieldNotFoundError):
            raise InputError(_no_columns(path, names)) from None
        except POLARS_FAILURES:
            raise InputError(_incomplete(path)) from None

    def columns(self, path: str | Path, chosen: Chosen, dialect: TextDialect, misfits: Misfits) -> pl.DataFrame:  # noqa: ARG002 - no text
        """The columns that `chosen` names."""
        try:
            frame = pl.read_parquet(io.BytesIO(input_bytes(path)))
        except POLARS_FAILURES:
            raise InputError(_incomplete(path)) from None
        return picked(frame, chosen, input_name(path))

    def column_parts(self, path: str | Path, names: list[str], dialect: TextDialect, misfits: Misfits) -> Iterator[pl.DataFrame]:
        """The columns of these names in batches; standard input is read as a whole."""
        if str(path) == STANDARD_INPUT:
            yield self.columns(path, lambda _: names, dialect, misfits)
            return
        try:
            scanned = pl.scan_parquet(require_file(path), glob=False)
            require_columns(scanned.collect_schema().names(), names, input_name(path))
            yield from scanned.select(names).collect_batches(chunk_size=ROWS, maintain_order=False)
        except POLARS_FAILURES:
            raise InputError(_incomplete(path)) from None

    def row_count(self, path: Path) -> int | None:
        """What the metadata says."""
        return int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())

    def released(self, path: Path) -> pl.DataFrame:
        """All columns."""
        return pl.read_parquet(path, glob=False)

    def write(self, path: Path, frame: pl.DataFrame, compression: Compression | None) -> None:  # noqa: ARG002 - always compressed
        """Write rows."""
        frame.write_parquet(path)

    def sink(self, path: Path, rows: pl.LazyFrame, compression: Compression | None) -> None:  # noqa: ARG002 - always compressed
        """Write rows that need not fit into memory."""
        rows.sink_parquet(path)

    def fields(self, path: Path) -> Mapping[str, pl.DataType]:
        """The types of the columns."""
        return pl.read_parquet_schema(path)

    def header(self, path: Path) -> list[tuple[str, str]]:
        """The names and types of the columns."""
        return [(name, str(kind).lower()) for name, kind in pl.read_parquet_schema(path).items()]

    def first_rows(self, path: Path, count: int) -> list[str]:
        """The header and the first rows, as CSV would hold them."""
        return pl.read_parquet(path, n_rows=count).write_csv().splitlines()


def _no_columns(path: str | Path, names: list[str]) -> str:
    """Which columns are missing; what a file has is in its schema, and standard input is read once."""
    has = [] if str(path) == STANDARD_INPUT else list(pl.read_parquet_schema(path))
    if not has:
        return f"{input_name(path)} must have the columns {', '.join(names)}; give the names that it uses ({EVENT_OPTIONS})"
    return no_columns(input_name(path), names, has, mapped_by=EVENT_OPTIONS)


def _incomplete(path: str | Path) -> str:
    return f"{input_name(path)} cannot be read as parquet: it is not a complete file of that format"


PARQUET = Parquet()


class Arrow:
    """Reads and writes Arrow files."""

    def columns(self, path: str | Path, chosen: Chosen, dialect: TextDialect, misfits: Misfits) -> pl.DataFrame:  # noqa: ARG002 - no text
        """The columns that `chosen` names."""
        try:
            frame = pl.read_ipc(io.BytesIO(input_bytes(path)))
        except POLARS_FAILURES:
            message = f"{input_name(path)} cannot be read as arrow: it is not a complete file of that format"
            raise InputError(message) from None
        return picked(frame, chosen, input_name(path))

    def write(self, path: Path, frame: pl.DataFrame, compression: Compression | None) -> None:  # noqa: ARG002 - no text
        """Write rows."""
        frame.write_ipc(path)

    def fields(self, path: Path) -> Mapping[str, pl.DataType]:  # noqa: ARG002 - nothing is described
        """Croissant does not know such files."""
        return {}


ARROW = Arrow()


def sheet_rows(path: str | Path) -> pl.DataFrame:
    """The rows of the first sheet below its header, as text; what is empty is null."""
    try:
        from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra
    except ImportError:
        message = "files of Excel need an extra: pip install 'tacita[excel]'"
        raise ParameterError(message) from None
    file = require_file(path)
    try:
        rows = CalamineWorkbook.from_path(str(file)).get_sheet_by_index(0).to_python()
    except Exception as error:  # noqa: BLE001 - the library has errors of its own, which may quote cells
        message = f"{input_name(path)} cannot be read as a file of Excel ({type(error).__name__})"
        raise InputError(message) from None
    header = [cell_text(cell) or "" for cell in rows[0]] if rows else []
    if not header:
        message = f"the first sheet of {input_name(path)} is empty"
        raise InputError(message)
    if "" in header or len(set(header)) < len(header):
        message = f"every column of the first sheet of {input_name(path)} must have a name of its own in its first row"
        raise InputError(message)
    cells = ([cell_text(row[place]) for row in rows[1:]] for place in range(len(header)))
    return pl.DataFrame({name: pl.Series(column, dtype=pl.String) for name, column in zip(header, cells, strict=True)})


def cell_text(cell: object) -> str | None:
    """What a cell says.

    >>> cell_text(7.0), cell_text(1.5), cell_text(True), cell_text(2.0**53), cell_text("")
    ('7', '1.5', 'true', None, None)
    """
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        is_exact = isfinite(cell) and abs(cell) < LARGEST_EXACT
        return (str(int(cell)) if cell == int(cell) else repr(cell)) if is_exact else None
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, date | time) else str(cell) or None
