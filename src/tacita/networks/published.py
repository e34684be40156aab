"""Published networks: synthetic, safe to inspect, able to write themselves, and to answer cuts with error bars.

The variance of a cut comes first, then the network, reading it back from a folder, and the answers from released degrees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers, Reals
from tacita.arrays.graphs import Graph
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError, OutputError, ParameterError
from tacita.formats import FileFormat, Holds
from tacita.io import EdgeColumns, Framed, read_manifest, release_universe, require_kind, write_universe
from tacita.io.formats import pairs_of, table_of
from tacita.networks.reading import EdgeFile, edge_format_named, edge_format_of, read_edge_codes
from tacita.pictures import Picture
from tacita.privacy.estimates import LEVEL, Estimate, laws_of, no_error_bars
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.universe import Universe

__all__ = [
    "CutAnswer",
    "NetworkAnswers",
    "PublishedNetwork",
    "edge_lists",
    "matching_variance",
    "opened_network",
    "read_published_network",
    "writable_edge_format",
]


# The variance of a cut: how much the number of edges between two sets of vertices varies among networks with the same degrees.
#
# The ends of all edges are matched at random (the configuration model). An end is in the first set only, in the second only, in
# both or in neither; with n the numbers of ends in these four classes, N their sum and K(x, y) = 1 where an edge between
# classes x and y counts, the number X of edges that count has
#
#     E[X]        = N/2 * p1,  p1 = sum of K(x, y) n_x n_y                  over ordered pairs of ends,     / (N)_2
#     E[X(X - 1)] = N/2 (N/2 - 1) * p2, p2 = sum of K(x, y) K(z, w) n_x n_y n_z n_w over ordered fours, / (N)_4
#
# where each further end of a class is one of those that are left.


_FIRST, _SECOND, _BOTH, _NEITHER = range(4)
_COUNTS = {
    (x, y)
    for x, y in product(range(4), repeat=2)
    if (x in (_FIRST, _BOTH) and y in (_SECOND, _BOTH)) or (y in (_FIRST, _BOTH) and x in (_SECOND, _BOTH))
}


def matching_variance(ends: tuple[float, float, float, float]) -> float:
    """The variance of the number of edges between both sets, from the ends in the first only, second only, both and neither.

    >>> round(matching_variance((1, 1, 0, 2)), 4)  # four ends: the two are matched with probability 1/3
    0.2222
    """
    total = sum(ends)
    if total < 4:
        return 0.0
    one = sum(_chance(pair, ends) for pair in _COUNTS)
    two = sum(_chance((*first, *second), ends) for first, second in product(_COUNTS, repeat=2))
    edges = total / 2
    mean = edges * one
    return max(0.0, edges * (edges - 1) * two + mean - mean * mean)


def _chance(classes: tuple[int, ...], ends: tuple[float, float, float, float]) -> float:
    """The probability that ends drawn one after the other are of these classes."""
    chance, total = 1.0, sum(ends)
    for drawn, each in enumerate(classes):
        chance *= max(0.0, ends[each] - classes[:drawn].count(each)) / (total - drawn)
    return chance


# The network.


DEGREES_FILE = "degrees.csv"
"""The estimated degree of each vertex, which answers cuts better than any sampled graph."""


@dataclass(frozen=True, kw_only=True)
class CutAnswer:
    """The estimated number of edges between two sets of vertices, and its standard error."""

    edges: float
    error: float

    def __str__(self) -> str:
        """Render for people."""
        return f"{self.edges:,.0f} ± {self.error:,.0f}"


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedNetwork(Framed):
    """A synthetic network over the vertices of the records; `degrees` are estimates of the true ones, where a method has them.

    `degree_errors` are their standard errors.
    """

    graph: Graph = field(repr=False)
    universe: Universe = field(repr=False)
    file_format: FileFormat = FileFormat.EDGES
    degrees: Reals | None = field(default=None, repr=False)
    degree_errors: Reals | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check that the graph is one over the universe."""
        instance_of(self.graph, Graph, name="the edges of a network")
        if self.graph.vertices != len(self.universe):
            message = "a published network must have the vertices of its universe"
            raise ParameterError(message)

    @property
    def public(self) -> PublicInputs:
        """Everything public that it was made with."""
        return PublicInputs(universe=self.universe)

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "networks"

    @property
    def whole(self) -> str:
        """What is released, in a sentence."""
        return "a network"

    def __len__(self) -> int:
        """The number of edges."""
        return len(self.graph)

    @property
    def edges(self) -> Ragged:
        """The edges as lists of two places, in order; read-only."""
        return edge_lists(self.graph)

    def to_labels(self) -> list[list[str]]:
        """The edges as Python lists of two labels; for small releases."""
        return [[self.universe.labels[code] for code in row] for row in self.edges.to_lists()]

    def frame(self) -> pl.DataFrame:
        """One row per edge: source and target."""
        labels = pl.Series(self.universe.labels, dtype=pl.String)
        return pl.DataFrame({"source": labels.gather(self.graph.sources), "target": labels.gather(self.graph.targets)})

    def cut(self, first: Integers, second: Integers, *, edges_error: float = 0.0) -> CutAnswer:
        """How many edges lead between two sets of vertices (by their places), from the degrees: vol(S) vol(T) / 2m.

        The error bar is that of a graph whose ends of edges are matched at random: the spread of the number itself, and what the
        errors of the degrees and of the number of edges add. It does not hold for sets that were chosen because of their edges,
        or that follow communities. Between two public sides the formula is another one, so such a release is refused.
        """
        if self.degrees is not None and self.degree_errors is None:
            message = "degrees answer no cut of a network with two sides; count the edges of the released network instead"
            raise ParameterError(message)
        degrees = self.graph.degrees.astype(np.float64) if self.degrees is None else self.degrees
        inside = [np.zeros(self.graph.vertices, dtype=np.bool_) for _ in range(2)]
        for members, chosen in zip(inside, (first, second), strict=True):
            members[chosen] = True
        both = inside[0] & inside[1]
        total = max(float(degrees.sum()), 1.0)
        volumes = [float(degrees[members].sum()) for members in inside]
        shared = float(degrees[both].sum())
        expected = (volumes[0] * volumes[1] - shared * shared / 2) / total
        only = (volumes[0] - shared, volumes[1] - shared)
        variance = max(matching_variance((*only, shared, total - sum(only) - shared)), 1.0)
        if self.degree_errors is not None:
            slope = (inside[0] * volumes[1] + inside[1] * volumes[0] - both * shared) / total
            slope -= slope.mean()  # the degrees add up to twice the number of edges, so an error of one is taken from all others
            variance += float(((slope * self.degree_errors) ** 2).sum()) + (expected * edges_error / (total / 2)) ** 2
        return CutAnswer(edges=expected, error=sqrt(variance))

    def pictures(self) -> list[Picture]:
        """Pictures of the release alone: degrees, adjacency, and cuts between the first vertices of the list and the rest."""
        from tacita.networks.pictures import cuts_picture, network_pictures  # noqa: PLC0415 - a publication draws nothing

        if self.degrees is not None and self.degree_errors is None:  # two sides, between which degrees answer no cut
            return network_pictures({"released": self.graph})
        cuts, size = [], self.graph.vertices
        for tenth in range(1, 10):
            first = np.arange(size * tenth // 10)
            answer = self.cut(first, np.arange(first.size, size))
            cuts.append((tenth / 10, answer.edges, answer.error))
        return [*network_pictures({"released": self.graph}), cuts_picture(cuts)]

    def to_networkx(self) -> Any:  # noqa: ANN401 - not a dependency
        """The network as a NetworkX graph, if NetworkX is installed."""
        networkx = _optional("networkx")
        made = networkx.Graph()
        made.add_nodes_from(self.universe.labels)
        made.add_edges_from(self.frame().iter_rows())
        return made

    def to_igraph(self) -> Any:  # noqa: ANN401 - not a dependency
        """The network as an igraph graph, if igraph is installed."""
        igraph = _optional("igraph")
        edges = np.stack([self.graph.sources, self.graph.targets], axis=1).tolist()
        return igraph.Graph(n=self.graph.vertices, edges=edges, vertex_attrs={"name": list(self.universe.labels)})

    def to_scipy(self) -> Any:  # noqa: ANN401 - not a dependency
        """The adjacency matrix as a SciPy sparse array, if SciPy is installed."""
        sparse = _optional("scipy.sparse")
        size = self.graph.vertices
        rows, columns = self.graph.arcs // max(size, 1), self.graph.neighbours
        return sparse.csr_array((np.ones(columns.size, dtype=np.int8), (rows, columns)), shape=(size, size))

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `edges.*` in the named format, or in the one that the records came in, and the degrees beside it."""
        chosen = writable_edge_format(self.file_format if file_format is None else file_format, self.universe)
        write_universe(folder, self.universe)
        if self.degrees is not None:
            table = pl.DataFrame({"vertex": pl.Series(self.universe.labels, dtype=pl.String), "degree": self.degrees})
            if self.degree_errors is not None:
                table = table.with_columns(error=pl.Series(self.degree_errors))
            table.write_csv(folder / DEGREES_FILE, float_precision=3)
        path = folder / f"edges{chosen.ending}"
        if Holds.PAIRS in chosen.holds:
            sources, targets = self.graph.sources.astype(np.int32), self.graph.targets.astype(np.int32)
            pairs_of(chosen).write(path, EdgeColumns(sources=sources, targets=targets, vertices=self.universe))
        else:
            table_of(chosen).write(path, self.frame(), None)
        return path


def edge_lists(graph: Graph) -> Ragged:
    """The edges of a graph as lists of two places, in order; read-only."""
    ends = np.stack([graph.sources, graph.targets], axis=1).astype(np.int32).ravel()
    ends.setflags(write=False)
    return Ragged(ends, offsets_of(np.full(len(graph), 2, dtype=np.int64)))


def writable_edge_format(name: str | FileFormat, universe: Universe) -> FileFormat:
    """The format, if it is one and can hold these labels."""
    chosen = edge_format_named(name)
    if Holds.PAIRS in chosen.holds and not pairs_of(chosen).can_hold(universe):
        message = "an edge list cannot hold labels with spaces or a leading #; choose csv, jsonl, parquet or arrow"
        raise ParameterError(message)
    return chosen


def _optional(name: str) -> Any:  # noqa: ANN401 - a module
    from importlib import import_module  # noqa: PLC0415 - only where somebody asks for it

    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        message = f"{package} is not installed; `pip install {package}` installs it"
        raise OutputError(message) from None


# Reading a release back from its folder, as whoever receives it, or judges it, does.


def read_published_network(folder: str | Path, *, universe: Universe | None = None) -> PublishedNetwork:
    """Read the network of a release folder; it must be whole, and made with this universe, if one is given."""
    manifest = read_manifest(folder)
    return opened_network(Path(folder), manifest, public=PublicInputs(universe=universe))


def opened_network(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedNetwork:
    """The network of a release whose manifest was read; a universe that is not given is taken from the folder."""
    universe = release_universe(folder, manifest, public.universe)
    described = [file for file in manifest["files"] if file["name"].startswith("edges.")]
    if manifest["kind"] != "networks" or len(described) != 1:
        require_kind(folder, manifest, kind="networks")
    path = folder / Path(described[0]["name"]).name
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != described[0]["sha256"]:
        message = f"the file {str(path)!r} must be as its manifest describes it; it was changed since"
        raise InputError(message)
    file_format = edge_format_of(path)
    graph = _graph(path, file_format, universe)
    beside = folder / DEGREES_FILE
    table = pl.read_csv(beside, infer_schema=False) if beside.is_file() else pl.DataFrame()
    degrees, errors = (table[name].cast(pl.Float64).to_numpy() if name in table.columns else None for name in ("degree", "error"))
    return PublishedNetwork(graph=graph, universe=universe, file_format=file_format, degrees=degrees, degree_errors=errors)


def _graph(path: Path, file_format: FileFormat, universe: Universe) -> Graph:
    """The edges; a release may have none."""
    if Holds.PAIRS in file_format.holds:
        edges = pairs_of(file_format).released(path, vertices=universe)
        return Graph(len(universe), edges.sources.astype(np.int64) * len(universe) + edges.targets)
    return read_edge_codes(path, universe=universe, file=EdgeFile(file_format=file_format), strict=True).graph


@dataclass(frozen=True)
class NetworkAnswers:
    """Answers from `shape` and `degree`, which release an estimate of every degree with its standard error."""

    published: PublishedNetwork
    manifest: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a release without errors of degrees."""
        if self.published.degrees is None or self.published.degree_errors is None:
            raise no_error_bars(self.manifest, "it holds no degrees with their errors; shape and degree do")

    def cut(self, first: Sequence[str], second: Sequence[str], *, level: float = LEVEL) -> Estimate:
        """How many edges lead between two sets of vertices that were not chosen because of their edges."""
        answer = self.published.cut(self._places(first), self._places(second), edges_error=self._edges_error())
        half = NormalDist().inv_cdf((1 + level) / 2) * answer.error
        return Estimate(value=answer.edges, low=max(0.0, answer.edges - half), high=answer.edges + half, level=level)

    def _edges_error(self) -> float:
        """The standard error of the number of edges by both noisy answers that say something of it."""
        laws = laws_of(self.manifest)
        precisions = (
            (1.0, laws.get("number of edges")),
            (4.0 / max(self.published.graph.vertices, 1), laws.get("degrees")),
        )
        precision = sum(weight / (2 * float(law.scale) ** 2) for weight, law in precisions if law is not None)
        return 1 / sqrt(precision) if precision else 0.0

    def _places(self, vertices: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        known = {label: place for place, label in enumerate(self.published.universe.labels)}
        if any(vertex not in known for vertex in vertices):
            message = "every vertex of a cut must be one of the network's"
            raise ParameterError(message)
        return np.array([known[vertex] for vertex in vertices], dtype=np.int64)
