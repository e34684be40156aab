"""What may be shown of a private file: the names and types of its columns, and rows only if the owner asks for them."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import InputError, TacitaError
from tacita.io import FileFormat, format_of
from tacita.io.formats import require_file
from tacita.io.sources import first_lines

__all__ = ["Columns", "columns_of", "first_rows"]

ROWS = 3
_SEPARATORS = (",", "\t", ";", "|", " ")


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The columns of a file, or a sentence on why there are none."""

    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    note: str = ""


def columns_of(path: Path) -> Columns:
    """The names of a file's columns; of its rows, only the first is read, for its field names in JSON lines."""
    try:
        require_file(path)
        file_format = _format(path)
        if file_format is FileFormat.PARQUET:
            return _parquet(path)
        if file_format in {FileFormat.CSV, FileFormat.JSONL}:
            names = _header(path) if file_format is FileFormat.CSV else list(json.loads(first_lines(path, 1)[0]))
            return Columns(names=tuple(names), types=("",) * len(names))
    except TacitaError as error:
        return Columns(note=str(error))
    except Exception:  # noqa: BLE001 - a message of a library may quote a row
        return Columns(note="its columns cannot be read; the options below may say how it is written")
    if file_format is None:
        return Columns(note="its ending does not say how it is written, so columns are named by hand")
    return Columns(note=f"a file in the format {file_format} has one record per line and no columns")


def _format(path: Path) -> FileFormat | None:
    try:
        return format_of(path)
    except InputError:
        return None


def first_rows(path: Path) -> list[str]:
    """The first rows as text, for the owner's eyes only."""
    require_file(path)
    if str(path).lower().endswith(".parquet"):
        import polars as pl  # noqa: PLC0415 - heavy

        return pl.read_parquet(path, n_rows=ROWS).write_csv().splitlines()
    return first_lines(path, ROWS + 1)


def _parquet(path: Path) -> Columns:
    import polars as pl  # noqa: PLC0415 - heavy

    found = pl.read_parquet_schema(path)
    return Columns(names=tuple(found), types=tuple(str(kind).lower() for kind in found.values()))


def _header(path: Path) -> list[str]:
    """The fields of a header, by the separator that it holds most of."""
    line = first_lines(path, 1)[0]
    return next(csv.reader([line], delimiter=max(_SEPARATORS, key=line.count)))
