"""How many corners of triangles can each have an opposite edge of their own.

A triangle has three corners, and an opposite edge for each. Corners and edges form a two-sided graph, and the number asked for is
the size of its largest matching. Unlike the number of triangles, it changes by 3 at the most if one edge u-v comes or goes: all
pairs of a corner and an edge that come or go with it hold the edge u-v itself, or the corner u, or the corner v, and a matching
holds each of these three once at the most. A network with few triangles has nearly three times as many such corners.

The matching begins greedily and grows along alternating paths (Kuhn, 1955). A search that fails leaves behind edges from which
no path leads on, now or later, so they are never looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator

from tacita.arrays.graphs import Graph

__all__ = ["MOST_VERTICES", "matched_corners"]

MOST_VERTICES = 2**17
"""Up to how many vertices such a matching is worth its time, which grows with the vertices more than with the edges."""


def matched_corners(graph: Graph) -> int:
    """The largest number of corners of triangles that can each have an opposite edge of their own.

    >>> import numpy as np
    >>> from tacita.arrays.graphs import edge_keys
    >>> whole = edge_keys(np.repeat(np.arange(4), 4), np.tile(np.arange(4), 4), vertices=4)
    >>> matched_corners(Graph(4, whole))
    4
    """
    return _Matching(graph).size


class _Matching:
    """A largest matching of corners with opposite edges."""

    def __init__(self, graph: Graph) -> None:
        n, offsets, neighbours = graph.vertices, graph.offsets.tolist(), graph.neighbours.tolist()
        self._n = n
        self._lists = [neighbours[offsets[v] : offsets[v + 1]] for v in range(n)]
        self._sets = [set(own) for own in self._lists]
        self._of_edge: dict[int, int] = {}
        self._of_corner: dict[int, int] = {}
        self._dead: set[int] = set()
        left = [v for v in range(n) if len(self._lists[v]) > 1 and not self._is_greedily_matched(v)]
        for v in left:
            self._grow(v)

    @property
    def size(self) -> int:
        """How many corners have an edge."""
        return len(self._of_corner)

    def _opposite(self, corner: int) -> Iterator[int]:
        """The keys of the edges between two neighbours of a vertex."""
        own = self._sets[corner]
        for first in self._lists[corner]:
            for second in own & self._sets[first]:
                if second > first:
                    yield first * self._n + second

    def _is_greedily_matched(self, corner: int) -> bool:
        for edge in self._opposite(corner):
            if edge not in self._of_edge:
                self._of_edge[edge], self._of_corner[corner] = corner, edge
                return True
        return False

    def _grow(self, start: int) -> None:
        """Match one corner more along an alternating path from this one, if there is one."""
        reached: dict[int, int] = {}
        ahead = [start]
        for corner in ahead:
            for edge in self._opposite(corner):
                if edge in reached or edge in self._dead:
                    continue
                reached[edge] = corner
                if edge not in self._of_edge:
                    self._turn(edge, reached)
                    return
                ahead.append(self._of_edge[edge])
        self._dead.update(reached)

    def _turn(self, edge: int | None, reached: dict[int, int]) -> None:
        """Give each edge of the path to the corner from which it was reached."""
        while edge is not None:
            corner = reached[edge]
            before = self._of_corner.get(corner)
            self._of_edge[edge], self._of_corner[corner] = corner, edge
            edge = before
