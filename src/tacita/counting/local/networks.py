"""Counts of a graph in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.graphs import Graph, largest_common_neighbourhood

__all__ = ["LocalNetworkCounts"]


@dataclass(frozen=True)
class LocalNetworkCounts:
    """Counts of an undirected simple graph."""

    graph: Graph = field(repr=False)

    def edges(self) -> int:
        """How many edges there are."""
        return len(self.graph)

    def degrees(self) -> Integers:
        """How many neighbours each vertex has."""
        return self.graph.degrees

    def between(self, of: Integers, *, classes: int) -> Integers:
        """How many edges lead from class r to class s >= r; each pair is the number r * classes + s."""
        first, second = of[self.graph.sources], of[self.graph.targets]
        codes = np.minimum(first, second) * classes + np.maximum(first, second)
        return np.bincount(codes, minlength=classes * classes).astype(np.int64)

    def triangles(self) -> tuple[int, int]:
        """The number of triangles, and the most neighbours that any two vertices have in common."""
        graph = self.graph.bare()
        return graph.triangles(), largest_common_neighbourhood(graph)

    def cells(self) -> Integers:
        """The edges as numbers i * n + j with i < j, in order."""
        return self.graph.keys
