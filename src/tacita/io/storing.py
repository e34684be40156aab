"""Writing every format, and checking whether a format can hold the labels, which happens before anything is spent."""

from __future__ import annotations

from pathlib import Path

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.io.formats import FileFormat, StoredFormat
from tacita.io.long_rows import write_long
from tacita.io.options import LongColumns
from tacita.io.seq_lines import require_seq_labels, write_seq
from tacita.io.wide_lines import require_dat_labels, require_wide_labels, write_dat, write_wide
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["require_labels", "writable_format", "write_lists", "write_named"]


def writable_format(name: str, universe: Universe, *, grid: TimeGrid | None = None) -> str:
    """The name of a format, such as `csv` or `csv.gz`, if it can hold the data; check this before anything is spent."""
    chosen = StoredFormat.parse(name)
    require_labels(chosen.file_format, universe, grid=grid)
    return str(chosen)


def require_labels(file_format: FileFormat, universe: Universe, *, grid: TimeGrid | None = None) -> None:
    """Refuse labels, or times, that the format cannot hold."""
    if grid is not None and not file_format.is_long:
        message = f"the format {file_format} cannot hold times; choose parquet, csv or jsonl for a release with a time grid"
        raise ParameterError(message)
    match file_format:
        case FileFormat.SEQ:
            require_seq_labels(universe)
        case FileFormat.WIDE:
            require_wide_labels(universe)
        case FileFormat.DAT:
            require_dat_labels(universe)
        case FileFormat.CSV | FileFormat.JSONL:
            if any("\0" in label for label in universe.labels):
                message = f"no label in a {file_format} file may contain a NUL character; choose another format"
                raise ParameterError(message)
        case FileFormat.PARQUET:
            pass


def write_named(  # noqa: PLR0913 - what a file depends on
    folder: Path,
    name: str,
    lists: Ragged,
    *,
    universe: Universe,
    file_format: str,
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
    match stored.file_format:
        case FileFormat.SEQ:
            write_seq(path, lists, universe=universe, compression=stored.compression)
        case FileFormat.WIDE:
            write_wide(path, lists, universe=universe, compression=stored.compression)
        case FileFormat.DAT:
            write_dat(path, lists, universe=universe, compression=stored.compression)
        case FileFormat.PARQUET | FileFormat.CSV | FileFormat.JSONL:
            write_long(path, lists, universe=universe, columns=columns, file_format=stored, grid=grid)
