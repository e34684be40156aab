"""Private networks: undirected simple graphs over public vertices, in columns.

An edge that is written twice, or in both directions, is one edge; an edge from a vertex to itself is none; edges with a vertex
outside the universe are dropped. How many these were is known here for the owner's eyes and goes into no release.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import AnyIntegers, Reals
from tacita.arrays.graphs import Graph, edge_keys
from tacita.arrays.ragged import Ragged
from tacita.counting import NetworkCounts
from tacita.counting.local import LocalNetworkCounts
from tacita.errors import InputError, ParameterError
from tacita.formats import FileFormat
from tacita.io import dataset_name
from tacita.networks.blocks import VertexBlocks
from tacita.networks.formats import EdgeFile
from tacita.networks.published import PublishedNetwork, edge_lists
from tacita.networks.reading import codes_of, read_edge_codes
from tacita.privacy.neighbours import EdgeGroup
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.universe import Universe

__all__ = ["NetworkRecords", "no_network", "read_for_kind", "read_network"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkRecords:
    """An undirected simple graph; vertex i is the label at place i of the universe.

    >>> family = Universe(["Ann", "Bob", "Cleo"])
    >>> NetworkRecords.from_labels([("Ann", "Bob"), ("Bob", "Ann"), ("Cleo", "Cleo")], universe=family).graph.keys.tolist()
    [1]
    """

    graph: Graph = field(repr=False)
    universe: Universe = field(repr=False)
    name: str = "unnamed"
    file_format: FileFormat = FileFormat.EDGES
    blocks: VertexBlocks | None = field(default=None, repr=False)
    dropped_outside: int = field(default=0, repr=False)
    dropped_loops: int = field(default=0, repr=False)
    dropped_repeats: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        """Check that the graph is one over the universe, and that nobody can change it."""
        instance_of(self.graph, Graph, name="the edges of a network")
        keys = self.graph.keys
        if self.graph.vertices != len(self.universe) or keys.dtype != np.int64 or np.any(keys[1:] <= keys[:-1]):
            message = "the edges of a network must be different pairs of vertices of its universe, in order"
            raise ParameterError(message)
        if keys.size and (keys[0] < 0 or np.any(self.graph.sources >= self.graph.targets) or keys[-1] >= len(self.universe) ** 2):
            message = "an edge of a network must lead from a vertex to one at a later place of the universe"
            raise ParameterError(message)
        if self.blocks is not None and self.blocks.of.size != len(self.universe):
            message = f"blocks must be given for all {len(self.universe):,} vertices, got {self.blocks.of.size:,}"
            raise ParameterError(message)
        keys.setflags(write=False)

    @property
    def public(self) -> PublicInputs:
        """Everything public that it was read with."""
        return PublicInputs(universe=self.universe).having(blocks=self.blocks)

    def counts(self) -> NetworkCounts:
        """What may be counted of it; everything that a mechanism learns comes from here."""
        return LocalNetworkCounts(self.graph.bare())

    def published(
        self,
        graph: Graph,
        *,
        degrees: Reals | None = None,
        degree_errors: Reals | None = None,
    ) -> PublishedNetwork:
        """A synthetic network over the same vertices."""
        return PublishedNetwork(
            graph=graph, universe=self.universe, file_format=self.file_format, degrees=degrees, degree_errors=degree_errors
        )

    @property
    def edges(self) -> Ragged:
        """The edges as lists of two places, in order; read-only."""
        return edge_lists(self.graph)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that could be published."""
        return not len(self.graph)

    @property
    def why_empty(self) -> str:
        """What may be wrong if nothing is left."""
        if not self.dropped_outside:
            return "the file holds no edges between two different vertices"
        return "all edges with a vertex outside the universe would be dropped; is this the right universe?"

    @property
    def owner_note(self) -> str:
        """What was dropped while reading. For the owner's eyes only."""
        return (
            f"{self.dropped_outside:,} edges with a vertex outside the universe, {self.dropped_loops:,} loops and "
            f"{self.dropped_repeats:,} repetitions are dropped"
        )

    @property
    def counted(self) -> str:
        """What a ledger adds spends up for."""
        return EdgeGroup.counted

    @property
    def unit(self) -> str:
        """What one protected record is, for the guarantee."""
        return "one edge"

    @property
    def records_per_person(self) -> int:
        """An edge is protected, not a person: who has many edges is protected in each of them."""
        return 1

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to each edge, whatever the data; for the manifest, so public facts only."""
        return (
            "edges have no direction; an edge that was there several times, or in both directions, was counted once",
            "edges from a vertex to itself, and edges with a vertex outside the universe, were dropped",
            "the set of vertices is public; which of them have edges is not",
        )

    @classmethod
    def from_codes(
        cls, sources: AnyIntegers, targets: AnyIntegers, *, universe: Universe, name: str = "unnamed"
    ) -> NetworkRecords:
        """Build from two columns of places in the universe, in any order and direction."""
        size = len(universe)
        for column in (sources, targets):
            if column.size and not 0 <= int(column.min()) <= int(column.max()) < size:
                message = "every end of an edge must be the place of a vertex in the universe"
                raise ParameterError(message)
        keys = edge_keys(sources, targets, vertices=size)
        loops = int(np.count_nonzero(np.asarray(sources) == np.asarray(targets)))
        repeats = int(sources.size) - loops - int(keys.size)
        return cls(graph=Graph(size, keys), universe=universe, name=name, dropped_loops=loops, dropped_repeats=repeats)

    @classmethod
    def from_labels(cls, edges: Iterable[tuple[str, str]], *, universe: Universe, name: str = "unnamed") -> NetworkRecords:
        """Build from pairs of labels; pairs with a label outside the universe are dropped."""
        pairs = [pair for pair in edges if pair[0] in universe and pair[1] in universe]
        codes = np.array([[universe.code(first), universe.code(second)] for first, second in pairs], dtype=np.int64).reshape(
            -1, 2
        )
        return cls.from_codes(codes[:, 0], codes[:, 1], universe=universe, name=name)

    @classmethod
    def from_frame(cls, frame: Any, *, universe: Universe, name: str = "unnamed") -> NetworkRecords:  # noqa: ANN401 - anything with Arrow columns
        """Build from a table whose first two columns are the ends of edges: Polars, or whatever Polars takes (Arrow, pandas)."""
        table = frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(frame)
        if table.width < 2:
            message = "a table of edges needs two columns, the ends of each edge"
            raise InputError(message)
        ends = [codes_of(table.to_series(place), universe) for place in (0, 1)]
        inside = (ends[0] >= 0) & (ends[1] >= 0)
        return cls.from_codes(ends[0][inside], ends[1][inside], universe=universe, name=name)

    @classmethod
    def from_networkx(cls, graph: Any, *, universe: Universe | None = None, name: str = "unnamed") -> NetworkRecords:  # noqa: ANN401 - not a dependency
        """Build from a NetworkX graph; without a public universe its own nodes are taken, which voids the guarantee."""
        vertices = Universe.observed([str(node) for node in graph.nodes]) if universe is None else universe
        return cls.from_labels(((str(edge[0]), str(edge[1])) for edge in graph.edges()), universe=vertices, name=name)

    @classmethod
    def from_igraph(cls, graph: Any, *, universe: Universe | None = None, name: str = "unnamed") -> NetworkRecords:  # noqa: ANN401 - not a dependency
        """Build from an igraph graph; vertices are called by their attribute `name`, or number; without a universe, void."""
        has_names = "name" in graph.vs.attributes()
        labels = [str(label) for label in graph.vs["name"]] if has_names else [str(number) for number in range(graph.vcount())]
        vertices = Universe.observed(labels) if universe is None else universe
        edges = ((labels[first], labels[second]) for first, second in graph.get_edgelist())
        return cls.from_labels(edges, universe=vertices, name=name)

    @classmethod
    def from_scipy(cls, matrix: Any, *, universe: Universe | None = None, name: str = "unnamed") -> NetworkRecords:  # noqa: ANN401 - not a dependency
        """Build from a square SciPy sparse matrix; entries other than 0, in either direction, are edges."""
        table = matrix.tocoo()
        if table.shape[0] != table.shape[1]:
            message = f"an adjacency matrix must be square, got {table.shape[0]} by {table.shape[1]}"
            raise InputError(message)
        size = table.shape[0]  # the shape of a matrix is declared with it, whatever its entries are
        vertices = Universe([str(number) for number in range(size)]) if universe is None else universe
        there = table.data != 0
        return cls.from_codes(table.row[there], table.col[there], universe=vertices, name=name)


def read_network(
    path: str | Path,
    *,
    universe: Universe,
    file: EdgeFile | None = None,
    blocks: VertexBlocks | None = None,
    name: str | None = None,
    strict: bool = False,
) -> NetworkRecords:
    """Read edges from an edge list (two vertices per line, as SNAP has them), CSV, JSON lines, Parquet or Arrow; also compressed.

    The vertices are public knowledge and must be given. Edges with a vertex outside them are dropped, or refused if `strict`.
    """
    file = EdgeFile() if file is None else file
    name = dataset_name(path, name)
    read = read_edge_codes(path, universe=universe, file=file, strict=strict)
    return NetworkRecords(
        graph=read.graph,
        universe=universe,
        name=name,
        file_format=read.file_format,
        blocks=blocks,
        dropped_outside=read.dropped_outside,
        dropped_loops=read.dropped_loops,
        dropped_repeats=read.dropped_repeats,
    )


def read_for_kind(
    source: str | Path, *, public: PublicInputs, options: EdgeFile, name: str | None = None, strict: bool = False
) -> NetworkRecords:
    """Read a network as the registration of the kind asks for it."""
    return read_network(
        source, universe=public.required_universe(), file=options, blocks=blocks_among(public), name=name, strict=strict
    )


def no_network(*, public: PublicInputs, options: EdgeFile, name: str) -> NetworkRecords:
    """A network without edges, for a rehearsal."""
    universe = public.required_universe()
    nothing = Graph(len(universe), np.zeros(0, dtype=np.int64))
    chosen = FileFormat.EDGES if options.file_format is None else options.file_format
    return NetworkRecords(graph=nothing, universe=universe, name=name, file_format=chosen, blocks=blocks_among(public))


def blocks_among(public: PublicInputs) -> VertexBlocks | None:
    """The blocks of public labels, if there are any."""
    found = public.others.get("blocks")
    return found if isinstance(found, VertexBlocks) else None
