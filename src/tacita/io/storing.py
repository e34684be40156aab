"""Writing every format, and checking whether a format can hold the labels, which happens before anything is spent."""

from __future__ import annotations

from pathlib import Path

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.formats import FileFormat, Holds, StoredFormat, formats_of, named_formats
from tacita.io.formats import lines_of
from tacita.io.long_rows import write_long
from tacita.io.options import LongColumns
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["require_labels", "writable_format", "write_lists", "write_named"]


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
    if not file_format.is_long:
        lines_of(file_format).require_labels(universe)
    elif file_format.is_text and any("\0" in label for label in universe.labels):
        message = f"no label in a {file_format} file may contain a NUL character; choose another format"
        raise ParameterError(message)


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
