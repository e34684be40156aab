"""SNAP edge lists, read into and written from columns of codes: two vertices per line, separated by spaces or tabs; `#` comments.

The vertices are a public universe, as labels are. Real lists contain edges in both directions, loops and duplicates: what is
dropped is counted for the owner only and enters no release.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays import Numbers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError, ParameterError
from tacita.formats import Compression
from tacita.io.lines import Words, blank_words, require_words
from tacita.io.misfits import LINE, Misfits
from tacita.io.sources import REPLACEMENT, input_name, input_text, without_comments
from tacita.io.writing import joined_lines, write_pieces
from tacita.public.universe import Universe

__all__ = ["EDGES", "EdgeColumns", "observed_vertices", "read_edges", "write_edges"]

_NONE = "# no edges\n"


@dataclass(frozen=True, kw_only=True, eq=False)
class EdgeColumns:
    """Distinct edges without loops, sorted by their codes; an undirected edge goes once, from its smaller code to the larger."""

    sources: Numbers = field(repr=False)
    targets: Numbers = field(repr=False)
    vertices: Universe = field(repr=False)
    directed: bool = False
    dropped_outside: int = field(default=0, repr=False)
    dropped_loops: int = field(default=0, repr=False)
    dropped_repeats: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        """Check the columns and freeze them, because nobody may change private input."""
        if self.sources.shape != self.targets.shape or self.sources.ndim != 1:
            message = "sources and targets must be two columns of the same length"
            raise ParameterError(message)
        for column in (self.sources, self.targets):
            if column.size and not 0 <= int(column.min()) <= int(column.max()) < len(self.vertices):
                message = "every code of an edge must be the place of a vertex in the universe"
                raise ParameterError(message)
            column.setflags(write=False)

    def __len__(self) -> int:
        """The number of edges."""
        return int(self.sources.size)


def read_edges(
    path: str | Path,
    *,
    vertices: Universe,
    directed: bool = False,
    comment: str = "#",
    encoding: str = "utf-8",
    misfits: Misfits | None = None,
) -> EdgeColumns:
    """Read edges between known vertices; an edge to an unknown vertex is dropped, and a line that does not have two."""
    words = _pairs(path, comment, encoding, Misfits() if misfits is None else misfits)
    codes = words.words.cast(pl.Enum(vertices.labels), strict=False).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    sources, targets = codes[::2], codes[1::2]
    inside = (sources >= 0) & (targets >= 0)
    outside = int(inside.size - np.count_nonzero(inside))
    loops = inside & (sources == targets)
    kept = inside & ~loops
    sources, targets = sources[kept], targets[kept]
    if not directed:
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    keys = np.sort(sources * len(vertices) + targets)
    keys = keys[np.append(True, keys[1:] != keys[:-1])[: keys.size]]
    return EdgeColumns(
        sources=(keys // len(vertices)).astype(np.int32),
        targets=(keys % len(vertices)).astype(np.int32),
        vertices=vertices,
        directed=directed,
        dropped_outside=outside,
        dropped_loops=int(np.count_nonzero(loops)),
        dropped_repeats=int(sources.size - keys.size),
    )


def observed_vertices(path: str | Path, *, comment: str = "#", encoding: str = "utf-8") -> list[str]:
    """Every vertex that occurs; for experiments only, because a universe made of them voids a guarantee that hides vertices."""
    return [str(vertex) for vertex in _pairs(path, comment, encoding, Misfits()).words.unique().to_list()]


def write_edges(path: Path, edges: EdgeColumns, *, compression: Compression | None = None) -> None:
    """Write one edge per line, its vertices separated by a tab."""
    require_words(edges.vertices, what="an edge list")
    if any(label.startswith("#") for label in edges.vertices.labels):
        message = "in an edge list # begins a comment, so no vertex may begin with it"
        raise ParameterError(message)
    codes = np.stack([edges.sources, edges.targets], axis=1).ravel()
    lines = joined_lines(Ragged(codes, offsets_of(np.full(len(edges), 2))), list(edges.vertices.labels), separator="\t")
    write_pieces(path, lines, compression=compression)


def _pairs(path: str | Path, comment: str, encoding: str, misfits: Misfits) -> Words:
    words = blank_words(without_comments(input_text(path, misfits, encoding=encoding), comment), source=input_name(path))
    wrong = (words.per_line != 0) & (words.per_line != 2)
    if wrong.any():
        misfits.add(LINE, "not two vertices", int(np.count_nonzero(wrong)))
        kept = pl.Series(np.repeat(~wrong, words.per_line))
        words = Words(words.words.filter(kept), words.per_line[~wrong])
    return words


class EdgeLists:
    """Reads and writes edge lists of networks, which are undirected."""

    def edges(self, path: str | Path, misfits: Misfits, *, vertices: Universe, comment: str, encoding: str) -> EdgeColumns:
        """The edges of a file."""
        return read_edges(path, vertices=vertices, comment=comment, encoding=encoding, misfits=misfits)

    def released(self, path: Path, *, vertices: Universe) -> EdgeColumns:
        """The edges of a release; one of none holds a comment."""
        if path.read_bytes().startswith(_NONE.rstrip().encode()):
            none = np.zeros(0, dtype=np.int32)
            return EdgeColumns(sources=none, targets=none.copy(), vertices=vertices)
        misfits = Misfits()
        found = read_edges(path, vertices=vertices, misfits=misfits)
        if len(misfits) or found.dropped_outside:
            message = f"every line of {input_name(path)} must have two vertices of the universe, some do not"
            raise InputError(message)
        return found

    def vertices(self, path: str | Path, *, comment: str) -> list[str]:
        """Every vertex that occurs."""
        return observed_vertices(path, comment=comment)

    def can_hold(self, vertices: Universe) -> bool:
        """Whether no label has a space, or begins like a comment."""
        return not any(label.split() != [label] or label.startswith("#") or REPLACEMENT in label for label in vertices.labels)

    def write(self, path: Path, edges: EdgeColumns) -> None:
        """Write one edge per line."""
        if len(edges):
            write_edges(path, edges)
        else:
            path.write_text(_NONE, encoding="utf-8")


EDGES = EdgeLists()
