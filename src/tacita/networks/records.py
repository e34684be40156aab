"""Private networks: undirected simple graphs over public vertices, in columns, and how they are read.

An edge that is written twice, or in both directions, is one edge; an edge from a vertex to itself is none; edges with a vertex
outside the universe are dropped. How many these were is known here for the owner's eyes and goes into no release.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tacita.arrays import AnyIntegers, Reals
from tacita.arrays.graphs import Graph, edge_keys
from tacita.arrays.ragged import Ragged
from tacita.counting import NetworkCounts
from tacita.counting.local import LocalNetworkCounts
from tacita.errors import InputError, ParameterError
from tacita.formats import FileFormat, Holds
from tacita.io import Source, dataset_name
from tacita.io.formats import STANDARD_INPUT, pairs_of
from tacita.io.frames import any_frame, is_frame
from tacita.io.misfits import Misfits
from tacita.kinds.words import listed_universe
from tacita.networks.blocks import VertexBlocks, blocks_among, edges_across, named_sides, require_one_of
from tacita.networks.published import PublishedNetwork, edge_lists, writable_edge_format
from tacita.networks.reading import EdgeFile, codes_of, edge_format_named, edge_format_of, read_edge_codes, read_edge_frame
from tacita.privacy.guarantee import EdgeGroup
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.universe import Universe

__all__ = [
    "NetworkRecords",
    "VertexBlocks",
    "network_inputs",
    "network_output_format",
    "network_reading",
    "no_network",
    "observed_network",
    "read_for_kind",
    "read_network",
]


# The records, and how they are read.


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
    sides: VertexBlocks | None = field(default=None, repr=False)
    dropped_outside: int = field(default=0, repr=False)
    dropped_inside: int = field(default=0, repr=False)
    dropped_loops: int = field(default=0, repr=False)
    dropped_repeats: int = field(default=0, repr=False)
    misfits: Misfits = field(default_factory=Misfits, repr=False)

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
        for blocks in (self.blocks, self.sides):
            if blocks is not None and blocks.of.size != len(self.universe):
                message = f"blocks must be given for all {len(self.universe):,} vertices, got {blocks.of.size:,}"
                raise ParameterError(message)
        require_one_of(self.blocks, self.sides)
        if self.sides is not None and len(edges_across(self.graph, self.sides)) != len(self.graph):
            message = "an edge of a network with two sides must lead from one to the other; across() drops the others"
            raise ParameterError(message)
        keys.setflags(write=False)

    def across(self, sides: VertexBlocks | None) -> NetworkRecords:
        """The same records with two public sides; edges between two vertices of one side are dropped."""
        if sides is None:
            return self
        kept = edges_across(self.graph, sides)
        return replace(self, graph=kept, sides=sides, dropped_inside=len(self.graph) - len(kept))

    @property
    def public(self) -> PublicInputs:
        """Everything public that it was read with."""
        return PublicInputs(universe=self.universe).having(blocks=self.blocks, sides=self.sides)

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
        """A synthetic network over the same vertices; where there are two sides, without edges that do not lead across."""
        graph = graph if self.sides is None else edges_across(graph, self.sides)
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
        if len(self.misfits):
            return f"no edge is left ({self.misfits.rules})"
        if not self.dropped_outside:
            return "the file holds no edges between two different vertices"
        return "all edges with a vertex outside the universe would be dropped; is this the right universe?"

    @property
    def owner_note(self) -> str:
        """What was dropped while reading. For the owner's eyes only."""
        inside = "" if self.sides is None else f"{self.dropped_inside:,} edges inside a side, "
        return self.misfits.told(
            f"{self.dropped_outside:,} edges with a vertex outside the universe, {inside}{self.dropped_loops:,} loops and "
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
            *(() if self.sides is None else ("edges between two vertices of the same public side were dropped",)),
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
        table = any_frame(frame)
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
        """Build from a square SciPy sparse matrix; entries other than 0, in either direction, are edges.

        Without a public universe its own rows are taken, which voids the guarantee: SciPy makes a matrix as large as the largest
        vertex with an edge, unless somebody said otherwise.
        """
        table = matrix.tocoo()
        if table.shape[0] != table.shape[1]:
            message = f"an adjacency matrix must be square, got {table.shape[0]} by {table.shape[1]}"
            raise InputError(message)
        size = table.shape[0]
        vertices = Universe.observed([str(number) for number in range(size)]) if universe is None else universe
        there = table.data != 0
        return cls.from_codes(table.row[there], table.col[there], universe=vertices, name=name)


def read_network(  # noqa: PLR0913 - what is public, by name
    path: Source,
    *,
    universe: Universe,
    file: EdgeFile | None = None,
    blocks: VertexBlocks | None = None,
    sides: VertexBlocks | None = None,
    name: str | None = None,
    strict: bool = False,
) -> NetworkRecords:
    """Read edges from an edge list (two vertices per line, as SNAP has them), CSV, JSON lines, Parquet or Arrow; also compressed.

    A data frame, a graph of NetworkX or igraph, and a SciPy sparse matrix are read too. The vertices are public knowledge and
    must be given. Edges with a vertex outside them are dropped, or refused if `strict`. With two `sides`, edges inside a side are
    dropped.
    """
    file = EdgeFile() if file is None else file
    name = dataset_name(path, name)
    built = _from_graph(path, universe=universe, strict=strict) if is_frame(path) else None
    if built is not None:
        return replace(built, name=name, blocks=blocks).across(sides)
    read = read_edge_codes(path, universe=universe, file=file, strict=strict)
    records = NetworkRecords(
        graph=read.graph,
        universe=universe,
        name=name,
        file_format=read.file_format,
        blocks=blocks,
        dropped_outside=read.dropped_outside,
        dropped_loops=read.dropped_loops,
        dropped_repeats=read.dropped_repeats,
        misfits=read.misfits,
    )
    return records.across(sides)


def _from_graph(graph: Any, *, universe: Universe, strict: bool) -> NetworkRecords | None:  # noqa: ANN401 - of libraries that are no dependency
    """The records of a graph of NetworkX or igraph, or of a sparse matrix; None if it is something else, such as a frame."""
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        made, labels = NetworkRecords.from_networkx(graph, universe=universe), (str(node) for node in graph.nodes)
    elif hasattr(graph, "vs") and hasattr(graph, "get_edgelist"):
        made, names = NetworkRecords.from_igraph(graph, universe=universe), graph.vs.attributes()
        labels = (str(label) for label in (graph.vs["name"] if "name" in names else range(graph.vcount())))
    elif hasattr(graph, "tocoo"):
        if graph.shape != (len(universe), len(universe)):
            message = (
                f"an adjacency matrix must have a row and a column for each of the {len(universe):,} vertices of the universe"
            )
            raise InputError(message)
        return NetworkRecords.from_scipy(graph, universe=universe)
    else:
        return None
    if strict and any(label not in universe for label in labels):
        message = "every vertex of the graph must belong to the universe, but some do not; without strict their edges are dropped"
        raise InputError(message)
    return made


def read_for_kind(
    source: Source, *, public: PublicInputs, options: EdgeFile, name: str | None = None, strict: bool = False
) -> NetworkRecords:
    """Read a network as the registration of the kind asks for it."""
    return read_network(
        source,
        universe=public.required_universe(),
        file=options,
        blocks=blocks_among(public),
        sides=blocks_among(public, "sides"),
        name=name,
        strict=strict,
    )


def no_network(*, public: PublicInputs, options: EdgeFile, name: str) -> NetworkRecords:
    """A network without edges, for a rehearsal."""
    universe = public.required_universe()
    nothing = Graph(len(universe), np.zeros(0, dtype=np.int64))
    chosen = FileFormat.EDGES if options.file_format is None else options.file_format
    records = NetworkRecords(graph=nothing, universe=universe, name=name, file_format=chosen, blocks=blocks_among(public))
    return records.across(blocks_among(public, "sides"))


# From what is typed to public inputs, reading options and formats; the registration of the kind names these functions.


Given = Mapping[str, Any]

CHARACTERS = {"tab": "\t", "space": " ", "blank": " "}


def network_inputs(given: Given) -> PublicInputs:
    """The vertices and, if they are given, blocks of them (a file, or a number of ranges) or two sides (a file, or a column)."""
    named, blocks, sides = given.get("universe"), given.get("blocks"), given.get("sides")
    universe = listed_universe(named)
    if blocks is None and sides is None:
        return PublicInputs(universe=universe)
    if universe is None:
        message = f"{'--sides' if blocks is None else '--blocks'} groups the vertices of a public --universe; name one"
        raise ParameterError(message)
    if blocks is not None and not isinstance(blocks, VertexBlocks):
        is_number = str(blocks).isascii() and str(blocks).isdigit()
        chosen = (
            VertexBlocks.ranges(len(universe), blocks=int(blocks)) if is_number else VertexBlocks.read(blocks, universe=universe)
        )
        blocks = chosen
    if sides is not None and not isinstance(sides, VertexBlocks):
        sides = named_sides(str(sides), named, universe)
    require_one_of(blocks, sides)
    return PublicInputs(universe=universe).having(blocks=blocks, sides=sides)


def network_reading(given: Given) -> EdgeFile:
    """How the private file is read."""
    file_format, separator = given.get("edge_format"), given.get("separator")
    return EdgeFile(
        file_format=None if file_format is None else edge_format_named(file_format),
        source=given.get("source"),
        target=given.get("target"),
        separator=None if separator is None else CHARACTERS.get(separator, separator),
        comment=given.get("comment"),
        encoding=given.get("encoding") or "utf-8",
    )


def network_output_format(source: str, *, options: EdgeFile, public: PublicInputs, wanted: str | None) -> str:
    """The format of the release: the one that is wanted, or that of the private file, which is not looked at."""
    came_as = options.file_format
    if came_as is None:
        came_as = FileFormat.EDGES if source == STANDARD_INPUT else edge_format_of(source)
    return str(writable_edge_format(wanted or came_as, public.required_universe()))


def observed_network(source: Source, *, options: EdgeFile) -> PublicInputs:
    """The vertices that the private file holds; whoever publishes with them has no guarantee."""
    file_format = edge_format_of(source) if options.file_format is None else options.file_format
    if Holds.PAIRS in file_format.holds and not is_frame(source):
        found = pairs_of(file_format).vertices(source, comment=options.comment or "#")
        return PublicInputs(universe=Universe.observed(found))
    frame = read_edge_frame(source, file_format, options, Misfits())
    return PublicInputs(universe=Universe.observed(frame["source"].append(frame["target"]).unique().to_list()))
