"""Simple undirected graphs as arrays: keys of edges, neighbours in one flat array, membership, triangles, common neighbours.

An edge between vertices i < j is the number i * n + j. A graph is the sorted array of these numbers; everything else is derived
from it by sorting and gathering, so memory grows with edges (and, for wedges, in pieces of a fixed size), never with n squared.

Triangles are listed by orienting every edge from the vertex of smaller degree to the other (Chiba and Nishizeki, SIAM J. Comput.
1985; Latapy, TCS 2008): a vertex then has at most sqrt(2m) neighbours ahead of it, and each triangle is one pair of them.

Who is whose neighbour in a graph that changes: membership and common neighbours of many pairs at once.

Up to `MOST_ROWS` vertices each vertex has a row of bits, one for each vertex. The common neighbours of two vertices are then the
bits of both rows, a few hundred bytes whatever the degrees are, and an edge that comes or goes turns two bits. Larger graphs are
walked: the neighbours of the vertex that has fewer are looked up among those of the other, and the tables for it are built anew
when edges change. Counting all triangles is so cheap with rows of bits that it is done whenever edges have changed; `patience` is
the share of the edges that may change before it pays otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, overload

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Reals, Words
from tacita.arrays.ragged import offsets_of

__all__ = [
    "MOST_ROWS",
    "Adjacency",
    "BitRows",
    "EdgeSet",
    "Graph",
    "Walks",
    "adjacency_of",
    "common_neighbours",
    "edge_keys",
    "largest_common_neighbourhood",
    "places_within",
]

PIECE = 2**21
"""How many wedges are processed at once."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_NOTHING, _SEVERAL = -1, -2


def edge_keys(sources: AnyIntegers, targets: AnyIntegers, *, vertices: int) -> Integers:
    """The sorted keys of the distinct edges, without loops and whatever their direction.

    >>> edge_keys(np.array([2, 0, 1, 1]), np.array([0, 2, 1, 0]), vertices=3).tolist()
    [1, 2]
    """
    low, high = np.minimum(sources, targets).astype(np.int64), np.maximum(sources, targets).astype(np.int64)
    keys = low * vertices + high
    keys = keys[low != high]
    keys.sort()
    return np.asarray(keys[np.append(True, keys[1:] != keys[:-1])[: keys.size]], dtype=np.int64)


def places_within(lengths: Integers) -> Integers:
    """0, 1, ... within each run of the given lengths, one after another.

    >>> places_within(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1]) if ends.size else 0, dtype=np.int64) - np.repeat(ends - lengths, lengths)


class EdgeSet:
    """A set of keys: each slot of a hash table holds one key, or a mark that a search in the sorted keys must decide."""

    def __init__(self, keys: Integers) -> None:
        """Hash all keys, which must be distinct, sorted and non-negative."""
        self.keys = keys
        self._shift = np.uint64(64 - max(10, int(3 * keys.size + 1).bit_length()))
        self._table = np.full(1 << (64 - int(self._shift)), _NOTHING, dtype=np.int64)
        places = self._hash(keys)
        self._table[places] = keys
        self._table[places[self._table[places] != keys]] = _SEVERAL

    def _hash(self, keys: Integers) -> Integers:
        return ((keys.view(np.uint64) * _MULTIPLIER) >> self._shift).view(np.int64)

    def contains(self, keys: Integers) -> Booleans:
        """Whether each key is in the set."""
        held = self._table[self._hash(keys)]
        found = held == keys
        several = np.flatnonzero(held == _SEVERAL)
        if several.size:
            asked = keys[several]
            places = np.minimum(np.searchsorted(self.keys, asked), self.keys.size - 1)
            found[several] = self.keys[places] == asked
        return np.asarray(found, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Graph:
    """A simple undirected graph: the number of vertices and the sorted keys of its edges.

    >>> square = Graph(4, edge_keys(np.array([0, 1, 2, 3, 0]), np.array([1, 2, 3, 0, 2]), vertices=4))
    >>> square.degrees.tolist(), square.triangles()
    ([3, 2, 3, 2], 2)
    """

    vertices: int
    keys: Integers = field(repr=False)

    def __len__(self) -> int:
        """The number of edges."""
        return int(self.keys.size)

    def bare(self) -> Graph:
        """The same graph without what was derived from it, which takes over ten times its memory and goes with its owner."""
        return Graph(self.vertices, self.keys)

    @cached_property
    def sources(self) -> Integers:
        """The smaller vertex of each edge."""
        return self.keys // max(self.vertices, 1)

    @cached_property
    def targets(self) -> Integers:
        """The larger vertex of each edge."""
        return self.keys - self.sources * self.vertices

    @cached_property
    def degrees(self) -> Integers:
        """The number of neighbours of each vertex."""
        ends = np.bincount(self.sources, minlength=self.vertices) + np.bincount(self.targets, minlength=self.vertices)
        return ends.astype(np.int64)

    @cached_property
    def offsets(self) -> Integers:
        """Where the neighbours of each vertex begin."""
        return offsets_of(self.degrees)

    @cached_property
    def arcs(self) -> Integers:
        """The keys of both directions of all edges, i * n + j and j * n + i, in order."""
        both = np.concatenate([self.keys, self.targets * self.vertices + self.sources])
        both.sort()
        return both

    @cached_property
    def neighbours(self) -> Integers:
        """The neighbours of all vertices, one vertex after another, in increasing order."""
        return np.asarray(self.arcs - np.repeat(np.arange(self.vertices) * self.vertices, self.degrees), dtype=np.int64)

    @cached_property
    def edges(self) -> EdgeSet:
        """For membership tests; either direction of an edge will do."""
        return EdgeSet(self.arcs)

    def triangles(self) -> int:
        """The number of triangles."""
        return sum(first.size for first, _, _ in self.triangle_pieces())

    def triangles_at(self) -> Integers:
        """How many triangles each vertex is in."""
        found = np.zeros(self.vertices, dtype=np.int64)
        for corners in self.triangle_pieces():
            for corner in corners:
                found += np.bincount(corner, minlength=self.vertices)
        return found

    @property
    def wedges_ahead(self) -> int:
        """How many pairs of neighbours are looked at to count all triangles."""
        rank = self._rank
        tails = np.where(rank[self.sources] < rank[self.targets], self.sources, self.targets)
        ahead = np.bincount(tails, minlength=self.vertices)
        return int((ahead * (ahead - 1) // 2).sum())

    @cached_property
    def _rank(self) -> Integers:
        """The place of each vertex by its degree."""
        rank = np.empty(self.vertices, dtype=np.int64)
        rank[np.argsort(self.degrees, kind="stable")] = np.arange(self.vertices)
        return rank

    def triangle_pieces(self) -> Iterator[tuple[Integers, Integers, Integers]]:
        """All triangles, one piece at a time, as three columns of vertices."""
        rank = self._rank
        ahead = rank[self.sources] < rank[self.targets]
        tails, heads = np.where(ahead, self.sources, self.targets), np.where(ahead, self.targets, self.sources)
        order = np.argsort(tails, kind="stable")
        tails, heads = tails[order], heads[order]
        ends = np.cumsum(np.bincount(tails, minlength=self.vertices))
        after = ends[tails] - np.arange(tails.size) - 1  # how many arcs with the same tail follow each arc
        for begin, end in _pieces(after):
            arcs = np.repeat(np.arange(begin, end), after[begin:end])
            second = heads[arcs + 1 + places_within(after[begin:end])]
            first = heads[arcs]
            hit = np.flatnonzero(self.edges.contains(first * self.vertices + second))
            yield tails[arcs[hit]], first[hit], second[hit]


def _pieces(lengths: Integers) -> Iterator[tuple[int, int]]:
    """Ranges of positions whose lengths add up to about one piece."""
    ends = np.cumsum(lengths)
    begin = 0
    while begin < lengths.size:
        base = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, base + PIECE, side="right")))
        yield begin, end
        begin = end


@overload
def common_neighbours(graph: Graph, first: Integers, second: Integers, *, neighbours: AnyIntegers | None = None) -> Integers: ...


@overload
def common_neighbours(
    graph: Graph,
    first: Integers,
    second: Integers,
    *,
    neighbours: AnyIntegers | None = None,
    weights: Reals,
) -> Reals: ...


def common_neighbours(
    graph: Graph,
    first: Integers,
    second: Integers,
    *,
    neighbours: AnyIntegers | None = None,
    weights: Reals | None = None,
) -> Integers | Reals:
    """How many neighbours each pair of vertices has in common (or their weights), by walking those of the one that has fewer.

    `neighbours` may hold the neighbours of each vertex in another order, if that is already at hand.
    """
    degrees, offsets, edges = graph.degrees, graph.offsets, graph.edges
    neighbours = graph.neighbours if neighbours is None else neighbours
    swap = degrees[first] > degrees[second]
    walked, other = np.where(swap, second, first), np.where(swap, first, second)
    lengths, starts, bases = degrees[walked], offsets[walked], other * graph.vertices
    kind: type = np.int64 if weights is None else np.float64
    found: Any = np.zeros(first.size, dtype=kind)
    for begin, end in _pieces(lengths):
        part = lengths[begin:end]
        ends = np.cumsum(part)
        places = np.arange(int(ends[-1])) + np.repeat(starts[begin:end] - ends + part, part)
        hit = edges.contains(np.repeat(bases[begin:end], part) + neighbours[places])
        sums = np.concatenate([[0], np.cumsum(hit if weights is None else hit * weights[neighbours[places]])])
        found[begin:end] = sums[ends] - sums[ends - part]
    return np.asarray(found, dtype=kind)


def largest_common_neighbourhood(graph: Graph, *, least: int = 0) -> int:
    """The largest number of common neighbours of any two vertices, adjacent or not; `least` if all are smaller.

    A pair has no more common neighbours than either has neighbours. So vertices are taken by decreasing degree, twice as many
    each time, until the largest number found among them is at least the degree of the next vertex.

    >>> star = Graph(4, edge_keys(np.array([0, 0, 0]), np.array([1, 2, 3]), vertices=4))
    >>> largest_common_neighbourhood(star)
    1
    """
    degrees = graph.degrees
    falling = np.argsort(-degrees, kind="stable")
    taken, best = 64, least
    while True:
        best = max(best, _largest_among(graph, falling[:taken]))
        if taken >= falling.size or best >= int(degrees[falling[taken]]):
            return best
        enough = int(np.searchsorted(-degrees[falling], -best, side="left"))  # those with a degree above the best so far
        taken = min(2 * taken, enough)


def _largest_among(graph: Graph, chosen: Integers) -> int:
    """The same among the chosen vertices: pairs of them that are neighbours of one vertex, counted one piece at a time."""
    if chosen.size < 2:
        return 0
    name = np.full(graph.vertices, -1, dtype=np.int64)
    name[chosen] = np.arange(chosen.size)
    middles = np.concatenate([graph.sources, graph.targets])
    ends = name[np.concatenate([graph.targets, graph.sources])]
    kept = np.flatnonzero(ends >= 0)
    middles, ends = middles[kept], ends[kept]
    order = np.argsort(middles * chosen.size + ends)
    middles, ends = middles[order], ends[order]
    before = np.arange(middles.size) - np.searchsorted(middles, middles, side="left")  # named neighbours with smaller names
    best = 0
    by_name = np.argsort(ends, kind="stable")  # all pairs with the same larger name are in one piece
    lengths = before[by_name]
    per_name = np.bincount(ends, weights=before, minlength=chosen.size).astype(np.int64)
    starts = np.searchsorted(ends[by_name], np.arange(chosen.size + 1))
    for begin, end in _pieces(per_name):
        arcs = by_name[starts[begin] : starts[end]]
        part = lengths[starts[begin] : starts[end]]
        places = np.repeat(arcs - part, part) + places_within(part)
        pairs = np.repeat(ends[arcs], part) * chosen.size + ends[places]
        if pairs.size:
            pairs.sort()
            starts_of = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1]))
            best = max(best, int(np.diff(np.append(starts_of, pairs.size)).max()))
    return best


MOST_ROWS = 16_384
"""Up to how many vertices there are rows of bits: 32 MB of them at most."""

_PIECE = 2**20
"""How many words of two rows are looked at at once; they stay in a processor's cache."""


class Adjacency(Protocol):
    """The neighbours in a graph."""

    patience: ClassVar[float]

    def contains(self, first: Integers, second: Integers) -> Booleans:
        """Whether each pair of vertices is joined."""
        ...

    def common(self, first: Integers, second: Integers) -> Integers:
        """How many neighbours each pair of vertices has in common."""
        ...

    def common_among(self, first: Integers, second: Integers, chosen: Booleans) -> Integers:
        """The same, if only the chosen vertices count as neighbours."""
        ...

    def after(self, graph: Graph, gone: Integers, come: Integers) -> Adjacency:
        """The neighbours in this graph, which differs by the keys of edges that are gone and have come."""
        ...


def adjacency_of(graph: Graph) -> Adjacency:
    """Rows of bits where they are small, walks otherwise."""
    return BitRows.of(graph) if graph.vertices <= MOST_ROWS else Walks(graph)


@dataclass(frozen=True, eq=False)
class BitRows:
    """A row of bits for each vertex; `after` turns bits in place, so the rows before are the rows after.

    >>> from tacita.arrays.graphs import edge_keys
    >>> square = Graph(4, edge_keys(np.array([0, 1, 2, 3, 0]), np.array([1, 2, 3, 0, 2]), vertices=4))
    >>> BitRows.of(square).common(np.array([0, 1]), np.array([2, 3])).tolist()
    [2, 2]
    """

    rows: Words = field(repr=False)
    vertices: int

    patience: ClassVar[float] = 0.0

    @classmethod
    def of(cls, graph: Graph) -> BitRows:
        """The rows of a graph."""
        made = cls(np.zeros((graph.vertices, graph.vertices // 64 + 1), dtype=np.uint64), graph.vertices)
        made._turned(graph.keys)
        return made

    def _turned(self, keys: Integers) -> None:
        first, second = keys // max(self.vertices, 1), keys % max(self.vertices, 1)
        rows, columns = np.concatenate([first, second]), np.concatenate([second, first])
        flat = self.rows.reshape(-1)
        np.bitwise_xor.at(flat, rows * self.rows.shape[1] + (columns >> 6), _bit(columns))

    def contains(self, first: Integers, second: Integers) -> Booleans:
        """Whether each pair of vertices is joined."""
        words = self.rows.reshape(-1)[first * self.rows.shape[1] + (second >> 6)]
        return np.asarray(words & _bit(second), dtype=np.bool_)

    def common(self, first: Integers, second: Integers) -> Integers:
        """How many neighbours each pair of vertices has in common."""
        return self._counted(first, second, None)

    def common_among(self, first: Integers, second: Integers, chosen: Booleans) -> Integers:
        """The same, if only the chosen vertices count as neighbours."""
        mask = np.zeros(self.rows.shape[1], dtype=np.uint64)
        places = np.flatnonzero(chosen)
        np.bitwise_or.at(mask, places >> 6, _bit(places))
        return self._counted(first, second, mask)

    def _counted(self, first: Integers, second: Integers, mask: Words | None) -> Integers:
        found = np.empty(first.size, dtype=np.int64)
        words = np.arange(self.rows.shape[1]) if mask is None else np.flatnonzero(mask)
        rows = self.rows if mask is None else self.rows[:, words] & mask[words]
        step = max(1, _PIECE // max(words.size, 1))
        for begin in range(0, first.size, step):
            both = rows[first[begin : begin + step]]
            both &= rows[second[begin : begin + step]]
            found[begin : begin + step] = np.bitwise_count(both).sum(axis=1, dtype=np.int64)
        return found

    def after(self, graph: Graph, gone: Integers, come: Integers) -> BitRows:  # noqa: ARG002 - the changes say enough
        """The same rows, with the bits of these edges turned."""
        self._turned(gone)
        self._turned(come)
        return self


@dataclass(frozen=True, eq=False)
class Walks:
    """A graph whose neighbours are looked up one by one."""

    graph: Graph = field(repr=False)

    patience: ClassVar[float] = 0.03

    def contains(self, first: Integers, second: Integers) -> Booleans:
        """Whether each pair of vertices is joined."""
        return self.graph.edges.contains(first * self.graph.vertices + second)

    def common(self, first: Integers, second: Integers) -> Integers:
        """How many neighbours each pair of vertices has in common."""
        return common_neighbours(self.graph, first, second)

    def common_among(self, first: Integers, second: Integers, chosen: Booleans) -> Integers:
        """The same, if only the chosen vertices count as neighbours."""
        return common_neighbours(self.graph, first, second, weights=chosen.astype(np.float64)).astype(np.int64)

    def after(self, graph: Graph, gone: Integers, come: Integers) -> Walks:  # noqa: ARG002 - the tables are built anew
        """The neighbours in this graph."""
        return Walks(graph)


def _bit(places: Integers) -> Words:
    return np.uint64(1) << (places & 63).astype(np.uint64)
