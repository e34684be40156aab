"""Some columns of a table, as they are: from CSV, JSON lines, Parquet, Arrow or a data frame.

For kinds whose rows are not events: what the columns mean is theirs. CSV columns are strings, whatever they look like. Messages
of Polars may quote records, so they are not passed on.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import polars as pl

from tacita.errors import InputError
from tacita.io.csv_rows import POLARS_FAILURES, CsvText, ragged_rows, require_columns
from tacita.io.formats import plain_name
from tacita.io.frames import Source, is_frame, polars_frame
from tacita.io.json_rows import bad_lines
from tacita.io.options import TextDialect
from tacita.io.quotes import require_tidy_quotes
from tacita.io.sources import input_bytes, input_name, input_text, without_comments

__all__ = ["Chosen", "table_columns"]

Chosen = Callable[[list[str]], list[str]]
"""From the names of all columns to those that are read; a name that is not there is refused."""


def table_columns(path: Source, chosen: Chosen, *, file_format: str, dialect: TextDialect | None = None) -> pl.DataFrame:
    """The columns that `chosen` names; rows are counted from 1, without the header and empty lines."""
    if is_frame(path):
        return polars_frame(path, chosen([]))
    source, dialect = input_name(path), dialect or TextDialect()
    if file_format in {"parquet", "arrow"}:
        return _picked(_binary_frame(path, file_format), chosen, source)
    text = input_text(path, encoding=dialect.encoding)
    if file_format == "jsonl":
        return _picked(_json_frame(text, source), chosen, source)
    return _csv_columns(without_comments(text, dialect.comment), path, chosen, dialect)


def _picked(frame: pl.DataFrame, chosen: Chosen, source: str) -> pl.DataFrame:
    names = chosen(frame.columns)
    require_columns(frame.columns, names, source)
    return frame.select(names)


def _binary_frame(path: str | Path, file_format: str) -> pl.DataFrame:
    read = pl.read_parquet if file_format == "parquet" else pl.read_ipc
    try:
        return read(io.BytesIO(input_bytes(path)))
    except POLARS_FAILURES:
        message = f"{input_name(path)} cannot be read as {file_format}: it is not a complete file of that format"
        raise InputError(message) from None


def _json_frame(text: bytes, source: str) -> pl.DataFrame:
    try:
        return pl.read_ndjson(text, infer_schema_length=None)
    except POLARS_FAILURES:
        raise InputError(bad_lines(text, source)) from None


def _csv_columns(data: bytes, path: str | Path, chosen: Chosen, dialect: TextDialect) -> pl.DataFrame:
    separator = dialect.separator or ("\t" if plain_name(path).endswith(".tsv") else ",")
    content, source = data.lstrip(b"\r\n"), input_name(path)
    content = content if content.endswith(b"\n") else content + b"\n"
    if dialect.quote is not None:
        require_tidy_quotes(content, separator=separator, quote=dialect.quote, source=source)
    text = CsvText(content, separator, dialect.quote)
    header = text.header()
    names = chosen(header)
    require_columns(header, names, source)
    text.refuse_wide_rows(len(header), source)
    frame = text.strings(names)
    if frame is None or not text.is_regular(len(header)):
        row = text.first_ragged(len(header))
        if frame is None or row is not None:
            raise InputError(ragged_rows(source, row))
    return frame.filter(~pl.all_horizontal(pl.all().is_null())) if frame.width else frame
