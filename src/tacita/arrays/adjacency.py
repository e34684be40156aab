"""Who is whose neighbour in a graph that changes: membership and common neighbours of many pairs at once.

Up to `MOST_ROWS` vertices each vertex has a row of bits, one for each vertex. The common neighbours of two vertices are then the
bits of both rows, a few hundred bytes whatever the degrees are, and an edge that comes or goes turns two bits. Larger graphs are
walked: the neighbours of the vertex that has fewer are looked up among those of the other, and the tables for it are built anew
when edges change. Counting all triangles is so cheap with rows of bits that it is done whenever edges have changed; `patience` is
the share of the edges that may change before it pays otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from tacita.arrays import Booleans, Integers, Words
from tacita.arrays.graphs import Graph, common_neighbours

__all__ = ["MOST_ROWS", "Adjacency", "BitRows", "Walks", "adjacency_of"]


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
