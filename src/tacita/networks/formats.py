"""The formats of files with edges: an edge list as SNAP has it, or two columns of a table."""

from __future__ import annotations

import io
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import polars as pl

from tacita.errors import InputError
from tacita.io.sources import input_bytes, input_name, input_text, without_comments

__all__ = ["EdgeFile", "EdgeFormat", "edge_format_of", "read_edge_frame"]


class EdgeFormat(StrEnum):
    """How a file holds edges."""

    EDGES = "edges"
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"

    @property
    def ending(self) -> str:
        """The ending of files in this format."""
        return ".txt" if self is EdgeFormat.EDGES else f".{self}"


_ENDINGS = {
    ".csv": EdgeFormat.CSV,
    ".tsv": EdgeFormat.CSV,
    ".jsonl": EdgeFormat.JSONL,
    ".ndjson": EdgeFormat.JSONL,
    ".parquet": EdgeFormat.PARQUET,
    ".arrow": EdgeFormat.ARROW,
    ".feather": EdgeFormat.ARROW,
}


@dataclass(frozen=True, kw_only=True)
class EdgeFile:
    """How a private file of edges is read; columns are the first two where none are named."""

    file_format: EdgeFormat | None = None
    source: str | None = None
    target: str | None = None
    separator: str | None = None
    comment: str | None = None
    encoding: str = "utf-8"


def edge_format_of(path: str | Path) -> EdgeFormat:
    """The format that a file's ending shows; anything else is an edge list."""
    name = Path(str(path))
    name = name.with_suffix("") if name.suffix in {".gz", ".zst"} else name
    return _ENDINGS.get(name.suffix.lower(), EdgeFormat.EDGES)


def read_edge_frame(path: str | Path, file_format: EdgeFormat, file: EdgeFile) -> pl.DataFrame:
    """Two columns of strings: the ends of each edge."""
    try:
        frame = _frame(path, file_format, file)
    except pl.exceptions.PolarsError:
        message = f"{input_name(path)} cannot be read as {file_format}"
        raise InputError(message) from None
    names = [
        file.source or (frame.columns[0] if frame.width else ""),
        file.target or (frame.columns[1] if frame.width > 1 else ""),
    ]
    missing = [name for name in names if name not in frame.columns]
    if missing:
        message = f"{input_name(path)} must have two columns with the ends of edges; the column {missing[0]!r} is not there"
        raise InputError(message)
    chosen = frame.select(pl.col(names[0]).cast(pl.String).alias("source"), pl.col(names[1]).cast(pl.String).alias("target"))
    holes = chosen.select(pl.any_horizontal(pl.all().is_null())).to_series()
    if holes.any():
        message = f"both ends of every edge must be given, row {int(holes.arg_true()[0]) + 1} of {input_name(path)} lacks one"
        raise InputError(message)
    return chosen


def _frame(path: str | Path, file_format: EdgeFormat, file: EdgeFile) -> pl.DataFrame:
    if file_format is EdgeFormat.PARQUET:
        return pl.read_parquet(io.BytesIO(input_bytes(path)))
    if file_format is EdgeFormat.ARROW:
        return pl.read_ipc(io.BytesIO(input_bytes(path)))
    text = input_text(path, encoding=file.encoding)
    if file_format is EdgeFormat.JSONL:
        return pl.read_ndjson(io.BytesIO(text))
    if file.comment:
        text = without_comments(text, file.comment)
    separator = file.separator or ("\t" if ".tsv" in str(path).lower() else ",")
    return pl.read_csv(io.BytesIO(text), separator=separator, infer_schema=False)
