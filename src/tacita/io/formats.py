"""What the code of a registered format does, and how it is found.

The registrations are in `tacita.formats`; each names an object that follows one of the protocols here. Everything that reads or
writes files asks that object, so that only a format's own module knows how its files look.

A row is read by what it holds itself and by what was declared, never by what other rows hold. Rows that cannot be read are left
out and added to `misfits`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from tacita.errors import InputError
from tacita.formats import Compression, FileFormat
from tacita.public.parameters import path_of
from tacita.registered import load

if TYPE_CHECKING:
    import polars as pl

    from tacita.arrays.ragged import Ragged
    from tacita.io.edge_lists import EdgeColumns
    from tacita.io.misfits import Misfits
    from tacita.io.options import ReadOptions, TextDialect
    from tacita.public.universe import Universe

__all__ = [
    "STANDARD_INPUT",
    "Chosen",
    "Lines",
    "Pairs",
    "Rows",
    "Table",
    "TableLines",
    "TableParts",
    "TextRows",
    "lines_of",
    "pairs_of",
    "require_file",
    "rows_of",
    "table_of",
]

STANDARD_INPUT = "-"

Chosen = Callable[[list[str]], list[str]]
"""From the names of all columns to those that are read; a name that is not there is refused.

A format without a header gives no names, and reads all columns if none are chosen."""


class Table(Protocol):
    """A format of files with columns."""

    def columns(self, path: str | Path, chosen: Chosen, dialect: TextDialect, misfits: Misfits) -> pl.DataFrame:
        """The columns that `chosen` names; rows are counted from 1, without the header and empty lines."""
        ...

    def write(self, path: Path, frame: pl.DataFrame, compression: Compression | None) -> None:
        """Write rows."""
        ...

    def fields(self, path: Path) -> Mapping[str, pl.DataType]:
        """The types of the columns of a file that was written; none if the file does not tell."""
        ...


@runtime_checkable
class TableParts(Table, Protocol):
    """A format whose columns need not be read at once."""

    def column_parts(self, path: str | Path, names: list[str], dialect: TextDialect, misfits: Misfits) -> Iterator[pl.DataFrame]:
        """The columns of these names, some rows at a time, in any order."""
        ...


@runtime_checkable
class TableLines(Table, Protocol):
    """A format whose rows are lines of text, one each."""

    def column_lines(
        self, data: bytes, path: str | Path, names: list[str], dialect: TextDialect, misfits: Misfits
    ) -> pl.DataFrame:
        """The columns of these names in some lines of a file, of which the first is its header if it has one."""
        ...


class Rows(Table, Protocol):
    """A format of files with one row per event, which hold any other rows too."""

    def events(self, path: str | Path, options: ReadOptions, misfits: Misfits) -> pl.DataFrame:
        """The columns of a whole file of events that the options name."""
        ...

    def event_parts(self, path: str | Path, options: ReadOptions, misfits: Misfits) -> Iterator[pl.DataFrame]:
        """The same, some rows at a time, in any order."""
        ...

    def row_count(self, path: Path) -> int | None:
        """How many rows the file says that it has; None if it does not tell."""
        ...

    def released(self, path: Path) -> pl.DataFrame:
        """All columns of a file that Tacita wrote; text where the format has no types."""
        ...

    def sink(self, path: Path, rows: pl.LazyFrame, compression: Compression | None) -> None:
        """Write rows that need not fit into memory."""
        ...

    def header(self, path: Path) -> list[tuple[str, str]]:
        """The names of the columns, each with its type, which is empty if the file does not tell."""
        ...

    def first_rows(self, path: Path, count: int) -> list[str]:
        """The first rows as lines of text."""
        ...


@runtime_checkable
class TextRows(Rows, Protocol):
    """Rows that are lines of text, one each, so that Spark can hand over lines and this package reads them."""

    def lines(self, data: bytes, path: str, options: ReadOptions, misfits: Misfits) -> pl.DataFrame:
        """The columns of some lines of a file, of which the first is its header if it has one."""
        ...

    def unlabelled(self, lines: list[str], path: str | Path, options: ReadOptions) -> Iterator[tuple[str, str]]:
        """The person and the time in each line that cannot be read otherwise; either may be empty, or no text."""
        ...


class Pairs(Protocol):
    """A format of files with two vertices per line."""

    def edges(self, path: str | Path, misfits: Misfits, *, vertices: Universe, comment: str, encoding: str) -> EdgeColumns:
        """The edges between known vertices; one to an unknown vertex is dropped."""
        ...

    def released(self, path: Path, *, vertices: Universe) -> EdgeColumns:
        """The edges of a file that Tacita wrote."""
        ...

    def vertices(self, path: str | Path, *, comment: str) -> list[str]:
        """Every vertex that occurs."""
        ...

    def can_hold(self, vertices: Universe) -> bool:
        """Whether the format can hold these labels."""
        ...

    def write(self, path: Path, edges: EdgeColumns) -> None:
        """Write one edge per line."""
        ...


class Lines(Protocol):
    """A format of files with one record per line."""

    def lists(self, path: str | Path, universe: Universe, options: ReadOptions, misfits: Misfits) -> tuple[Ragged, int]:
        """One list of codes per record, and how many labels were dropped because they are outside the universe."""
        ...

    def list_parts(
        self, path: str | Path, universe: Universe, options: ReadOptions, misfits: Misfits
    ) -> Iterator[tuple[Ragged, int]]:
        """The same, some lines at a time."""
        ...

    def labels(self, path: str | Path, options: ReadOptions) -> list[str]:
        """Every label that occurs, or that the file declares."""
        ...

    def released(self, path: Path, universe: Universe) -> tuple[Ragged, int]:
        """The lists of a file that Tacita wrote, which may be empty."""
        ...

    def require_labels(self, universe: Universe) -> None:
        """Refuse labels that the format cannot hold."""
        ...

    def write(self, path: Path, lists: Ragged, universe: Universe, compression: Compression | None) -> None:
        """Write one line per list; empty lists are left out."""
        ...


def table_of(file_format: FileFormat, *, separator: str | None = None) -> Table:
    """The code of a format that has columns; `separator` divides them, where the format leaves that open."""
    code: Table = _divided(load(file_format.code), separator)
    return code


def rows_of(file_format: FileFormat, *, separator: str | None = None) -> Rows:
    """The code of a format that holds events; `separator` divides its columns, where the format leaves that open."""
    code: Rows = _divided(load(file_format.code), separator)
    return code


def _divided(code: Any, separator: str | None) -> Any:  # noqa: ANN401 - the object that a registration names
    has_choice = is_dataclass(code) and not isinstance(code, type) and getattr(code, "separator", "") is None
    return replace(code, separator=separator) if has_choice and separator is not None else code


def pairs_of(file_format: FileFormat) -> Pairs:
    """The code of a format that holds two vertices per line."""
    code: Pairs = load(file_format.code)
    return code


def lines_of(file_format: FileFormat) -> Lines:
    """The code of a format that holds one record per line."""
    code: Lines = load(file_format.code)
    return code


def require_file(path: str | Path) -> Path:
    """Return the path if it is a file that is not empty."""
    path = path_of(path, name="the input")
    try:
        is_file, size = path.is_file(), path.stat().st_size if path.exists() else 0
    except (OSError, ValueError):  # a name with a NUL, or one that is too long
        is_file, size = False, 0
    if not is_file:
        message = f"the input {str(path)!r} does not exist or is not a file"
        raise InputError(message)
    if size == 0:
        message = f"the input {str(path)!r} is empty"
        raise InputError(message)
    if not os.access(path, os.R_OK):
        message = f"the input {str(path)!r} cannot be read: permission denied"
        raise InputError(message)
    return path
