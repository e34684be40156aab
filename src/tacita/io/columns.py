"""Some columns of a table, as they are: from a file of any format that has columns, or a data frame.

For kinds whose rows are not events: what the columns mean is theirs. Columns of text files are strings, whatever they look like;
`io.values` says what the values of typed columns are as text. Messages of Polars may quote records, so they are not passed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import polars as pl

from tacita.errors import InputError
from tacita.formats import FileFormat
from tacita.io.formats import Chosen, TableParts, table_of
from tacita.io.frames import Source, any_frame, is_frame, polars_frame
from tacita.io.misfits import Misfits
from tacita.io.options import TextDialect

__all__ = ["POLARS_FAILURES", "no_columns", "picked", "require_columns", "table_columns", "table_parts"]

MOST_SHOWN = 30
"""How many columns of a file a message lists."""

ROWS = 1 << 18
"""How many rows of a frame make a part: rows of a table are wide."""

POLARS_FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


def table_columns(
    path: Source, chosen: Chosen, misfits: Misfits, *, file_format: FileFormat, dialect: TextDialect | None = None
) -> pl.DataFrame:
    """The columns that `chosen` names; rows are counted from 1, without the header and empty lines."""
    if is_frame(path):
        whole = any_frame(path)
        return polars_frame(whole, chosen(whole.columns))
    return table_of(file_format).columns(path, chosen, dialect or TextDialect(), misfits)


def table_parts(
    path: Source, names: list[str], misfits: Misfits, *, file_format: FileFormat, dialect: TextDialect
) -> Iterator[pl.DataFrame]:
    """The same columns, some rows at a time and in any order, if the format can give them so."""
    code = table_of(file_format)
    if is_frame(path):
        yield from polars_frame(path, names).iter_slices(ROWS)
    elif isinstance(code, TableParts):
        yield from code.column_parts(path, names, dialect, misfits)
    else:
        yield code.columns(path, lambda _: names, dialect, misfits)


def picked(frame: pl.DataFrame, chosen: Chosen, source: str) -> pl.DataFrame:
    """Some columns of a frame, which must be there."""
    names = chosen(frame.columns)
    require_columns(frame.columns, names, source)
    return frame.select(names)


SEPARATORS = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}
"""Characters that may stand between columns, as `--separator` takes them."""

_NO_NAME = re.compile(r"^[\W\d_]*$|\d{4}-\d|^.{65,}$|[\x00-\x1f]")
"""What is hardly the name of a column: nothing but digits and signs, a date, a very long text."""


def no_columns(source: str, names: Sequence[str], header: Sequence[str], *, mapped_by: str) -> str:
    """Why columns are missing, with what was found: another separator, or other names and the options that map them.

    A first line that looks like data is not repeated: the file may have no header, although that was not declared.
    """
    missing = f"{source} must have the columns {', '.join(names)}"
    if len(header) == 1:
        between = next((said for sign, said in SEPARATORS.items() if sign in header[0]), None)
        if between is not None:
            return f"{missing}; its first line is divided by another character: give --separator {between}"
        return f"{missing}; its first line has one column only: name what divides it with --separator, or see `tacita inspect`"
    maps = f" with {mapped_by}" if mapped_by else ""
    if any(_NO_NAME.search(name) for name in header):
        return f"{missing}; its first line looks like data: declare --no-header, or name its columns{maps}"
    shown = [*header[:MOST_SHOWN], *(["..."] if len(header) > MOST_SHOWN else [])]
    return f"{missing}, it has {', '.join(shown)}; give the names that it uses{maps}"


def require_columns(header: list[str], names: list[str], source: str, *, mapped_by: str = "") -> None:
    """Every name must occur in the header exactly once; `mapped_by` says which options name them."""
    if not set(names) <= set(header):
        raise InputError(no_columns(source, names, header, mapped_by=mapped_by))
    repeated = [name for name in names if header.count(name) > 1]
    if repeated:
        message = f"the columns of {source} must have different names, got {repeated[0]!r} twice"
        raise InputError(message)
