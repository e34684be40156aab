"""Some columns of a table, as they are: from a file of any format that has columns, or a data frame.

For kinds whose rows are not events: what the columns mean is theirs. Columns of text files are strings, whatever they look like;
`io.values` says what the values of typed columns are as text. Messages of Polars may quote records, so they are not passed on.
"""

from __future__ import annotations

import polars as pl

from tacita.errors import InputError
from tacita.formats import FileFormat
from tacita.io.formats import Chosen, table_of
from tacita.io.frames import Source, any_frame, is_frame, polars_frame
from tacita.io.misfits import Misfits
from tacita.io.options import TextDialect

__all__ = ["POLARS_FAILURES", "picked", "require_columns", "table_columns"]

POLARS_FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


def table_columns(
    path: Source, chosen: Chosen, misfits: Misfits, *, file_format: FileFormat, dialect: TextDialect | None = None
) -> pl.DataFrame:
    """The columns that `chosen` names; rows are counted from 1, without the header and empty lines."""
    if is_frame(path):
        whole = any_frame(path)
        return polars_frame(whole, chosen(whole.columns))
    return table_of(file_format).columns(path, chosen, dialect or TextDialect(), misfits)


def picked(frame: pl.DataFrame, chosen: Chosen, source: str) -> pl.DataFrame:
    """Some columns of a frame, which must be there."""
    names = chosen(frame.columns)
    require_columns(frame.columns, names, source)
    return frame.select(names)


def require_columns(header: list[str], names: list[str], source: str) -> None:
    """Every name must occur in the header exactly once."""
    if not set(names) <= set(header):
        message = f"{source} must have the columns {', '.join(names)}; give the names that it uses (--person, --label, --time)"
        raise InputError(message)
    repeated = [name for name in names if header.count(name) > 1]
    if repeated:
        message = f"the columns of {source} must have different names, got {repeated[0]!r} twice"
        raise InputError(message)
