"""Workbooks of Excel and the like: the first sheet, every cell as text by itself.

A cell holds a text, a number, a truth value or a date of its own, whatever the others of its column hold; so it becomes text by
itself. Excel keeps numbers as doubles: one of 2^53 or more may have been another, and such a cell counts as empty. A workbook is
held in memory whole.
"""

from __future__ import annotations

from datetime import date, datetime, time
from math import isfinite
from pathlib import Path

import polars as pl

from tacita.errors import InputError, ParameterError
from tacita.io.formats import require_file
from tacita.io.sources import input_name

__all__ = ["sheet_rows"]

LARGEST_EXACT = 2**53


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
