"""What may be shown of a private file: the names and types of its columns, and rows only if the owner asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacita.errors import TacitaError
from tacita.formats import LISTS, Holds, format_ending
from tacita.io.formats import require_file, rows_of
from tacita.io.sources import first_lines

__all__ = ["Columns", "columns_of", "first_rows"]

ROWS = 3


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
        file_format = format_ending(path, *LISTS)
        if file_format is not None and file_format.is_long:
            found = rows_of(file_format).header(path)
            return Columns(names=tuple(name for name, _ in found), types=tuple(kind for _, kind in found))
    except TacitaError as error:
        return Columns(note=str(error))
    except Exception:  # noqa: BLE001 - a message of a library may quote a row
        return Columns(note="its columns cannot be read; the options below may say how it is written")
    if file_format is None:
        return Columns(note="its ending does not say how it is written, so columns are named by hand")
    return Columns(note=f"a file in the format {file_format} has one record per line and no columns")


def first_rows(path: Path) -> list[str]:
    """The first rows as text, for the owner's eyes only."""
    require_file(path)
    file_format = format_ending(path, Holds.EVENTS)
    return first_lines(path, ROWS + 1) if file_format is None else rows_of(file_format).first_rows(path, ROWS)
