"""Public labels of the vertices of a network: blocks (a department, an ego, a range of ids), or two sides (users and films).

Who is in which must be known without a look at the edges. Blocks say something of who meets whom; sides say that all edges lead
from one to the other, so that edges inside a side are dropped when a network is read, and none is released.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.graphs import Graph
from tacita.errors import ParameterError
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of, whole_number
from tacita.public.universe import Universe, public_text

__all__ = ["VertexBlocks", "blocks_among", "edges_across", "named_sides", "require_one_of"]


MOST_BLOCKS = 512
"""All pairs of blocks are asked about, so more would drown in noise."""


@dataclass(frozen=True, eq=False)
class VertexBlocks:
    """The block of each vertex, numbered from 0.

    >>> VertexBlocks.ranges(5, blocks=2).of.tolist()
    [0, 0, 0, 1, 1]
    """

    of: Integers = field(repr=False)

    def __post_init__(self) -> None:
        """Check the numbers."""
        instance_of(self.of, np.ndarray, name="the blocks of vertices")
        if self.of.ndim != 1 or not self.of.size or self.of.min() < 0:
            message = "blocks must be whole numbers of at least 0, one for each vertex"
            raise ParameterError(message)
        whole_number(self.number, name="the number of blocks", least=1, most=MOST_BLOCKS)
        self.of.setflags(write=False)

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return int(self.of.max()) + 1

    @classmethod
    def ranges(cls, vertices: int, *, blocks: int) -> VertexBlocks:
        """So many ranges of vertices of about one size, in the order of the universe."""
        whole_number(blocks, name="blocks", least=1, most=min(MOST_BLOCKS, max(vertices, 1)))
        return cls(np.arange(vertices, dtype=np.int64) * blocks // max(vertices, 1))

    @classmethod
    def named(cls, names: Sequence[str]) -> VertexBlocks:
        """Vertices with the same name are in one block."""
        return cls(np.unique(np.array(names, dtype=np.str_), return_inverse=True)[1].reshape(-1).astype(np.int64))

    @classmethod
    def read(cls, path: str | Path, *, universe: Universe, column: str | None = None) -> VertexBlocks:
        """Read a CSV file with a header: the label of each vertex, and the name of its block, in a named or the second column."""
        rows = _public_rows(path)
        place = 1 if column is None else [name.strip() for name in rows[0]].index(column)
        block_of = {row[0].strip(): row[place].strip() for row in rows[1:] if len(row) > place}
        missing = next((label for label in universe.labels if label not in block_of), None)
        if missing is not None:
            message = f"every vertex of the universe must have a block in {str(path)!r}, {missing!r} has none"
            raise ParameterError(message)
        return cls.named([block_of[label] for label in universe.labels])

    def as_json(self) -> Mapping[str, object]:
        """The blocks as a manifest describes them."""
        return {"number": self.number, "sha256": hashlib.sha256(self.of.astype("<i8").tobytes()).hexdigest()}


def _public_rows(path: str | Path) -> list[list[str]]:
    separator = "\t" if str(path).lower().endswith(".tsv") else ","
    text = public_text(path, what="file of blocks", error=ParameterError)
    return [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]


def edges_across(graph: Graph, sides: VertexBlocks) -> Graph:
    """The edges that lead from one side to the other."""
    if sides.number != 2 or np.unique(sides.of).size != 2:
        message = f"a network has two sides, each with a vertex at least, got {np.unique(sides.of).size}"
        raise ParameterError(message)
    inside = sides.of[graph.sources] == sides.of[graph.targets]
    return Graph(graph.vertices, graph.keys[~inside]) if inside.any() else graph


def require_one_of(blocks: VertexBlocks | None, sides: VertexBlocks | None) -> None:
    """Refuse blocks and sides together."""
    if blocks is not None and sides is not None:
        message = "a network has blocks or two sides, not both; leave out --blocks or --sides"
        raise ParameterError(message)


def blocks_among(public: PublicInputs, name: str = "blocks") -> VertexBlocks | None:
    """The blocks of public labels, or the two sides, if there are any."""
    found = public.others.get(name)
    return found if isinstance(found, VertexBlocks) else None


def named_sides(sides: str, named: object, universe: Universe) -> VertexBlocks:
    """Sides from a column of the file of the universe, if it has one of that name, or else from a file of their own."""
    is_table = isinstance(named, str | Path) and str(named).lower().endswith((".csv", ".tsv"))
    if is_table and sides in [name.strip() for name in _public_rows(str(named))[0]]:
        return VertexBlocks.read(str(named), universe=universe, column=sides)
    return VertexBlocks.read(sides, universe=universe)
