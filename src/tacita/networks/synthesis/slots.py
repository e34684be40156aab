"""The two ends of each edge, sorted so that swaps find the weakest edges at once.

The strength of an edge is the number of triangles it is in (its support), divided by the square root of how many it could be in,
which is one less than the smaller degree of its ends. By support alone, the edges of small vertices would always be taken first,
however well they are tied in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.arrays.graphs import Graph
from tacita.arrays.ragged import offsets_of
from tacita.arrays.scatter import spread

__all__ = ["Slots", "is_held"]


HELD = 0.03
"""Which share of the edges is never taken to close triangles. The weakest edges are those that lead far away: without all of
them, a graph falls apart or distances grow."""

_FINE, _STRONGEST, _TABLE = 64, 4095, 8


@dataclass(frozen=True, eq=False)
class Slots:
    """Both ends of each edge by vertex, then by the class of the neighbour and the strength of the edge.

    `weakest` has the neighbours of each vertex by strength alone; `starts` is a table of where each code begins, if it is small.
    """

    codes: Integers = field(repr=False)
    neighbours: Integers = field(repr=False)
    weakest: Integers = field(repr=False)
    starts: Integers = field(repr=False)
    classes: int

    @classmethod
    def of(cls, graph: Graph, classes: Integers, support: Integers) -> Slots:
        """The slots of a graph, by the class of each vertex and the support of each edge."""
        number = int(classes.max()) + 1
        owners = np.concatenate([graph.sources, graph.targets])
        neighbours = np.concatenate([graph.targets, graph.sources])
        codes = owners * number + classes[neighbours]
        most = np.minimum(graph.degrees[graph.sources], graph.degrees[graph.targets]) - 1
        strength = np.minimum(_FINE * support / np.sqrt(np.maximum(most, 1)), _STRONGEST).astype(np.int64)
        strength[is_held(graph.keys)] = _STRONGEST
        both = np.concatenate([strength, strength])
        by_class = np.argsort(codes * (_STRONGEST + 1) + both)
        by_strength = np.argsort(owners * (_STRONGEST + 1) + both)
        size = graph.vertices * number
        starts = offsets_of(np.bincount(codes, minlength=size)) if size <= _TABLE * codes.size else np.zeros(0, dtype=np.int64)
        return cls(codes[by_class], neighbours[by_class], neighbours[by_strength], starts, number)

    def ranges(self, codes: Integers) -> tuple[Integers, Integers]:
        """Where the slots of each code (a vertex times the number of classes, plus a class) begin and end."""
        if self.starts.size:
            return self.starts[codes], self.starts[codes + 1]
        return np.searchsorted(self.codes, codes, side="left"), np.searchsorted(self.codes, codes, side="right")


def is_held(keys: Integers) -> Booleans:
    """Whether each edge is one of those that stay, by a hash of its key."""
    return np.asarray(spread(keys, salt=29) < HELD, dtype=np.bool_)
