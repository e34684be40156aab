"""One entry point for every format: reading and writing lists of codes over a public universe."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.formats import FileFormat, Holds, StoredFormat, formats_of, named_formats
from tacita.io import long_rows
from tacita.io.blocks import is_large, lists_in_memory
from tacita.io.formats import STANDARD_INPUT, lines_of
from tacita.io.frames import Source, is_frame
from tacita.io.long_rows import write_long
from tacita.io.misfits import Misfits
from tacita.io.options import LongColumns, ReadOptions
from tacita.io.sources import REPLACEMENT, input_name
from tacita.public.time_grid import TimeGrid, require_grid
from tacita.public.universe import Universe, require_universe

__all__ = [
    "ReadLists",
    "dataset_name",
    "observed_labels",
    "read_lists",
    "require_labels",
    "writable_format",
    "write_lists",
    "write_named",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadLists:
    """The contents of a file: one list of codes per record, and how much was dropped, for the owner only.

    `emptied_records` counts the records of which nothing was left; in formats of lines, they remain as empty lists.
    """

    lists: Ragged = field(repr=False)
    file_format: FileFormat
    dropped_labels: int = field(default=0, repr=False)
    emptied_records: int = field(default=0, repr=False)
    misfits: Misfits = field(default_factory=Misfits, repr=False)


def read_lists(
    path: Source,
    *,
    universe: Universe,
    options: ReadOptions | None = None,
    strict: bool = False,
    grid: TimeGrid | None = None,
) -> ReadLists:
    """Read a file of any format, or a data frame; what does not fit or is outside the universe is dropped, or refused (`strict`).

    With a grid, codes include the interval of each label, and times outside it are treated like labels outside the universe.
    """
    require_universe(universe)
    require_grid(grid)
    options = ReadOptions.of(options).placed(universe)
    file_format = options.format_for(path)
    if grid is not None and not file_format.is_long:
        message = f"the format {file_format} has no times, so a time grid makes no sense; leave it out"
        raise ParameterError(message)
    emptied, misfits = None, Misfits()
    try:
        if file_format.is_long:
            read = lists_in_memory if is_large(path, file_format) else long_rows.long_lists
            lists, dropped, emptied = read(path, misfits, universe=universe, options=options, grid=grid)
        else:
            lists, dropped = lines_of(file_format).lists(path, universe, options, misfits)
    except pl.exceptions.PolarsError:  # its message may quote a row
        message = f"{input_name(path)} cannot be read as {file_format}: its columns have unexpected contents"
        raise InputError(message) from None
    if strict:
        misfits.refuse(input_name(path))
    if dropped and strict:
        where = "the universe" if grid is None else "the universe, and every time to the grid"
        message = (
            f"every label in {input_name(path)} must belong to {where}, but some do not; without strict they would be dropped"
        )
        raise InputError(message)
    emptied = int(np.count_nonzero(lists.lengths == 0)) if emptied is None else emptied
    return ReadLists(lists=lists, file_format=file_format, dropped_labels=dropped, emptied_records=emptied, misfits=misfits)


def dataset_name(path: Source, name: str | None) -> str:
    """The name of a data set in the ledger: the given one, or that of the file."""
    if name is not None:
        return name
    if is_frame(path):
        message = "a data frame has no name for the ledger; give one"
        raise ParameterError(message)
    if str(path) == STANDARD_INPUT:
        message = "data from standard input needs a name for the ledger; give one"
        raise ParameterError(message)
    return Path(path).name.split(".")[0]


def observed_labels(path: Source, *, columns: LongColumns | None = None, options: ReadOptions | None = None) -> list[str]:
    """Every label that occurs in a file; for experiments, because a universe made of them voids the guarantee."""
    options = ReadOptions.of(options, columns=columns)
    if str(path) == STANDARD_INPUT:
        message = f"{input_name(path)} can be read only once, so its labels cannot serve as the universe; name a file"
        raise ParameterError(message)
    file_format = options.format_for(path)
    if file_format.is_long:
        return long_rows.observed_labels(path, options=options)
    return lines_of(file_format).labels(path, options)


# Writing. Whether a format can hold the labels is checked before anything is spent.


def writable_format(name: str | FileFormat, universe: Universe, *, grid: TimeGrid | None = None) -> str:
    """The name of a format, such as `csv` or `csv.gz`, if it can hold the data; check this before anything is spent."""
    chosen = StoredFormat.parse(name)
    require_labels(chosen.file_format, universe, grid=grid)
    return str(chosen)


def require_labels(file_format: FileFormat, universe: Universe, *, grid: TimeGrid | None = None) -> None:
    """Refuse labels, or times, that the format cannot hold."""
    if grid is not None and not file_format.is_long:
        timed = named_formats(formats_of(Holds.EVENTS))
        message = f"the format {file_format} cannot hold times; choose {timed} for a release with a time grid"
        raise ParameterError(message)
    if file_format.is_text and any(REPLACEMENT in label for label in universe.labels):
        message = f"no label in a {file_format} file may contain U+FFFD, which represents what is no text; choose another format"
        raise ParameterError(message)
    if not file_format.is_long:
        lines_of(file_format).require_labels(universe)
    elif file_format.is_text and any(set(label) & _no_text(file_format) for label in universe.labels):
        message = f"no label in a {file_format} file may contain a NUL or a line end; choose another format, such as jsonl"
        raise ParameterError(message)


def _no_text(file_format: FileFormat) -> set[str]:
    """What no label may hold: a line is read on its own."""
    return {"\0"} if file_format.escapes_line_ends else {"\0", "\r", "\n"}


def write_named(  # noqa: PLR0913 - what a file depends on
    folder: Path,
    name: str,
    lists: Ragged,
    *,
    universe: Universe,
    file_format: str | FileFormat,
    columns: LongColumns,
    grid: TimeGrid | None = None,
) -> Path:
    """Write lists into a folder, in the named format, and return its path, whose ending shows the format."""
    stored = StoredFormat.parse(writable_format(file_format, universe, grid=grid))
    path = folder / f"{name}{stored.ending}"
    write_lists(path, lists, universe=universe, stored=stored, columns=columns, grid=grid)
    return path


def write_lists(
    path: Path,
    lists: Ragged,
    *,
    universe: Universe,
    stored: StoredFormat,
    columns: LongColumns,
    grid: TimeGrid | None = None,
) -> None:
    """Write lists of codes in any format; empty lists are left out."""
    require_labels(stored.file_format, universe, grid=grid)
    if stored.file_format.is_long:
        write_long(path, lists, universe=universe, columns=columns, file_format=stored, grid=grid)
    else:
        lines_of(stored.file_format).write(path, lists, universe, stored.compression)
