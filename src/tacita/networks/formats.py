"""The formats of files with edges: an edge list as SNAP has it, or two columns of a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import polars as pl

from tacita.errors import InputError
from tacita.io.columns import table_columns
from tacita.io.options import TextDialect
from tacita.io.sources import input_name

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

    def ends(header: list[str]) -> list[str]:
        named = [file.source, file.target]
        if len(header) < len(named) and None in named:
            message = f"{input_name(path)} must have two columns with the ends of edges"
            raise InputError(message)
        return [name or header[place] for place, name in enumerate(named)]

    dialect = TextDialect(separator=file.separator, comment=file.comment or None, encoding=file.encoding)
    frame = table_columns(path, ends, file_format=file_format, dialect=dialect)
    chosen = frame.select(
        pl.nth(place).cast(pl.String).replace("", None).alias(name) for place, name in enumerate(("source", "target"))
    )
    holes = chosen.select(pl.any_horizontal(pl.all().is_null())).to_series()
    if holes.any():
        message = f"both ends of every edge must be given, row {int(holes.arg_true()[0]) + 1} of {input_name(path)} lacks one"
        raise InputError(message)
    return chosen
