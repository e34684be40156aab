"""Reading edges from a file, of a private network or of a release: an edge list as SNAP has it, or two columns of a table."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.graphs import Graph, edge_keys
from tacita.errors import InputError, ParameterError
from tacita.formats import FileFormat, Holds, format_ending, formats_of
from tacita.io.columns import table_columns
from tacita.io.formats import pairs_of
from tacita.io.frames import Source, is_frame
from tacita.io.misfits import NO_VALUE, Misfits
from tacita.io.options import TextDialect
from tacita.io.sources import input_name
from tacita.io.values import exact_text
from tacita.public.parameters import instance_of
from tacita.public.universe import Universe

__all__ = ["EdgeFile", "ReadEdges", "codes_of", "edge_format_named", "edge_format_of", "read_edge_codes", "read_edge_frame"]


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


def edge_format_of(path: Source) -> FileFormat:
    """The format that a file's ending shows; anything else is an edge list, and a data frame is like a Parquet file."""
    if is_frame(path):
        return FileFormat.PARQUET
    return format_ending(str(path), Holds.EDGES) or FileFormat.EDGES


def edge_format_named(name: str | FileFormat) -> FileFormat:
    """The format of that name; those of text are listed first."""
    known = sorted(formats_of(Holds.EDGES, Holds.PAIRS), key=lambda each: not each.is_text)
    found = next((each for each in known if each.name == str(name)), None)
    if found is None:
        message = f"the format of a network must be one of {', '.join(map(str, known))}, got {str(name)!r}"
        raise ParameterError(message)
    return found


def read_edge_frame(path: Source, file_format: FileFormat, file: EdgeFile, misfits: Misfits) -> pl.DataFrame:
    """Two columns of strings: the ends of each edge; a row without one of them is left out.

    JSON lines have no header, so their columns are called source and target unless others are named.
    """

    def ends(header: list[str]) -> list[str]:
        named = [file.source, file.target]
        if file_format is FileFormat.JSONL and not is_frame(path):
            return [file.source or "source", file.target or "target"]
        if len(header) < len(named) and None in named:
            message = f"{input_name(path)} must have two columns with the ends of edges"
            raise InputError(message)
        return [name or header[place] for place, name in enumerate(named)]

    dialect = TextDialect(separator=file.separator, comment=file.comment or None, encoding=file.encoding)
    frame = table_columns(path, ends, misfits, file_format=file_format, dialect=dialect)
    chosen = pl.DataFrame(
        [exact_text(frame.to_series(place)).replace("", None).alias(name) for place, name in enumerate(("source", "target"))]
    )
    holes = chosen.select(pl.any_horizontal(pl.all().is_null())).to_series()
    misfits.add("source, target", NO_VALUE, int(holes.sum()))
    return chosen.filter(~holes)


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadEdges:
    """A graph, the format that it came in, and what was dropped."""

    graph: Graph = field(repr=False)
    file_format: FileFormat
    dropped_outside: int = field(repr=False)
    dropped_loops: int = field(repr=False)
    dropped_repeats: int = field(repr=False)
    misfits: Misfits = field(repr=False)


def read_edge_codes(path: Source, *, universe: Universe, file: EdgeFile, strict: bool) -> ReadEdges:
    """Read edges between known vertices; an edge with another one is dropped, or refused if `strict`."""
    instance_of(file, EdgeFile, name="the options of reading")
    file_format = edge_format_of(path) if file.file_format is None else file.file_format
    size, misfits = len(universe), Misfits()
    if Holds.PAIRS in file_format.holds and not is_frame(path):
        comment, encoding = file.comment or "#", file.encoding
        read = pairs_of(file_format).edges(path, misfits, vertices=universe, comment=comment, encoding=encoding)
        if strict:
            misfits.refuse(input_name(path))
        if strict and read.dropped_outside:
            message = (
                f"every vertex in {input_name(path)} must belong to the universe, but some do not; "
                "without strict their edges are dropped"
            )
            raise InputError(message)
        return ReadEdges(
            graph=Graph(size, read.sources.astype(np.int64) * size + read.targets),
            file_format=file_format,
            dropped_outside=read.dropped_outside,
            dropped_loops=read.dropped_loops,
            dropped_repeats=read.dropped_repeats,
            misfits=misfits,
        )
    frame = read_edge_frame(path, file_format, file, misfits)
    if strict:
        misfits.refuse(input_name(path))
    sources, targets = (codes_of(frame.to_series(place), universe) for place in (0, 1))
    inside = (sources >= 0) & (targets >= 0)
    if strict and not inside.all():
        message = (
            f"both ends of every edge in {input_name(path)} must belong to the universe, those of row "
            f"{int(inside.argmin()) + 1} do not; without strict such edges are dropped"
        )
        raise InputError(message)
    sources, targets = sources[inside], targets[inside]
    keys = edge_keys(sources, targets, vertices=size)
    loops = int(np.count_nonzero(sources == targets))
    return ReadEdges(
        graph=Graph(size, keys),
        file_format=file_format,
        dropped_outside=int(inside.size - np.count_nonzero(inside)),
        dropped_loops=loops,
        dropped_repeats=int(sources.size) - loops - int(keys.size),
        misfits=misfits,
    )


def codes_of(column: pl.Series, universe: Universe) -> Integers:
    """The place of each label in the universe, -1 for one that is not there."""
    codes = exact_text(column).cast(pl.Enum(universe.labels), strict=False).to_physical().cast(pl.Int64)
    return np.asarray(codes.fill_null(-1).to_numpy(), dtype=np.int64)
