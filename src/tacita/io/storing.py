"""One way out for every format, and the question whether a format can hold the labels, to be asked before anything is spent."""

from __future__ import annotations

from pathlib import Path

from tacita.core.errors import ParameterError
from tacita.core.ragged import Ragged
from tacita.core.time_grid import TimeGrid
from tacita.core.universe import Universe
from tacita.io.formats import FileFormat, StoredFormat
from tacita.io.long_rows import write_long
from tacita.io.options import LongColumns
from tacita.io.seq_lines import require_seq_labels, write_seq
from tacita.io.wide_lines import require_dat_labels, require_wide_labels, write_dat, write_wide

__all__ = ["require_labels", "write_lists"]


def require_labels(file_format: FileFormat, universe: Universe, *, grid: TimeGrid | None = None) -> None:
    """Refuse labels, or times, that the format cannot hold."""
    if grid is not None and not file_format.is_long:
        message = f"the format {file_format} holds no times; choose parquet, csv or jsonl for a release with a time grid"
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
                message = f"text files hold no NUL, so no label of a {file_format} file may; choose another format"
                raise ParameterError(message)
        case FileFormat.PARQUET:
            pass


def write_lists(
    path: Path,
    lists: Ragged,
    *,
    universe: Universe,
    stored: StoredFormat,
    columns: LongColumns,
    grid: TimeGrid | None = None,
) -> None:
    """Write lists of codes in any format; formats of lines leave empty lists out, as long rows do."""
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
