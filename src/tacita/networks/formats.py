"""The formats of files with edges: an edge list as SNAP has it, or two columns of a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tacita.errors import InputError, ParameterError
from tacita.formats import FileFormat, Holds, format_ending, formats_of
from tacita.io.columns import table_columns
from tacita.io.options import TextDialect
from tacita.io.sources import input_name

__all__ = ["EdgeFile", "edge_format_named", "edge_format_of", "read_edge_frame"]


@dataclass(frozen=True, kw_only=True)
class EdgeFile:
    """How a private file of edges is read; columns are the first two where none are named."""

    file_format: FileFormat | None = None
    source: str | None = None
    target: str | None = None
    separator: str | None = None
    comment: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        """A format may be given by name."""
        if self.file_format is not None:
            object.__setattr__(self, "file_format", edge_format_named(self.file_format))


def edge_format_of(path: str | Path) -> FileFormat:
    """The format that a file's ending shows; anything else is an edge list."""
    return format_ending(str(path), Holds.EDGES) or FileFormat.EDGES


def edge_format_named(name: str | FileFormat) -> FileFormat:
    """The format of that name; those of text are listed first."""
    known = sorted(formats_of(Holds.EDGES, Holds.PAIRS), key=lambda each: not each.is_text)
    found = next((each for each in known if each.name == str(name)), None)
    if found is None:
        message = f"the format of a network must be one of {', '.join(map(str, known))}, got {str(name)!r}"
        raise ParameterError(message)
    return found


def read_edge_frame(path: str | Path, file_format: FileFormat, file: EdgeFile) -> pl.DataFrame:
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
