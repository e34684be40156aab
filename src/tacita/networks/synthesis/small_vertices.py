"""Close triangles at vertices with two or three neighbours, as often as those with a few more lead to expect.

Swaps that close triangles one by one pass such vertices by: they have few edges to be met along, and theirs are the first to be
taken again. Average clustering, in which every vertex counts alike, then comes out too small. In networks of people, local
clustering falls with the degree d about as a power of it (Ravasz and Barabási, Phys. Rev. E 2003). So it is measured at degrees 4
to 6 of the wired graph, c, and brought to

    c (d / 5) ** -b    with    b = 0.5 (1 - share of the triangles that degrees and classes alone explain)

at d = 2 and 3: where degrees explain the triangles, there is no reason why small vertices should have more of them. A swap is
done if it closes more at small vertices (each counts 1 over its number of pairs of neighbours) than it opens.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.arrays.graphs import Graph, common_neighbours
from tacita.networks.synthesis.chance import Chance
from tacita.networks.synthesis.rewiring import Swaps, applied, closing, unshared, without_loops_and_repeats
from tacita.networks.synthesis.slots import Slots

__all__ = ["closed_at_small_vertices"]


STEEPNESS = 0.5
"""The exponent b where chance explains no triangles."""

REFERENCE = (4, 6)
"""The degrees whose clustering is extrapolated; 5 stands for them."""

MOST = 0.95
"""Clustering is brought to no more than this."""

ENOUGH = 30
"""With fewer vertices of these degrees, nothing is extrapolated."""

MOST_LOST = 1
"""How many triangles in all a swap may cost that closes one at a small vertex."""

ROUNDS, TRIES = 10, 4
"""How many rounds there are, and how many swaps are tried for each pair in a round."""


@dataclass(frozen=True, eq=False)
class _Pairs:
    """All pairs of neighbours of the vertices of one degree, and which of them are joined."""

    of: Integers = field(repr=False)
    first: Integers = field(repr=False)
    second: Integers = field(repr=False)
    joined: Booleans = field(repr=False)

    @classmethod
    def at(cls, graph: Graph, degree: int) -> _Pairs:
        chosen = np.flatnonzero(graph.degrees == degree)
        rows, columns = np.triu_indices(degree, 1)
        starts = np.repeat(graph.offsets[chosen], rows.size)
        first = graph.neighbours[starts + np.tile(rows, chosen.size)]
        second = graph.neighbours[starts + np.tile(columns, chosen.size)]
        joined = graph.edges.contains(first * graph.vertices + second)
        return cls(np.repeat(chosen, rows.size), first, second, joined)


def closed_at_small_vertices(graph: Graph, of: Integers, *, by_chance: float, chance: Chance) -> Graph:
    """The graph with triangles at its small vertices; `by_chance` is the share of triangles that need no explanation."""
    around = [_Pairs.at(graph, degree) for degree in range(REFERENCE[0], REFERENCE[1] + 1)]
    vertices = sum(pairs.of.size // (degree * (degree - 1) // 2) for degree, pairs in enumerate(around, start=REFERENCE[0]))
    if vertices < ENOUGH:
        return graph
    level = float(np.concatenate([pairs.joined for pairs in around]).mean())
    exponent = STEEPNESS * min(max(1 - by_chance, 0.0), 1.0)
    wanted = {degree: min(MOST, level * (degree / 5) ** -exponent) for degree in (2, 3)}
    support = common_neighbours(graph, graph.sources, graph.targets)
    weights = np.where((graph.degrees == 2) | (graph.degrees == 3), 1 / np.maximum(graph.degrees * (graph.degrees - 1) / 2, 1), 0)
    for attempt in range(ROUNDS):
        if attempt == ROUNDS // 2:
            of = of // 2  # classes are joined in pairs where swaps within them do not suffice
        u, v, w = _open_pairs(graph, wanted, chance)
        if not u.size:
            break
        slots = Slots.of(graph, of, support)
        swaps = without_loops_and_repeats(graph, closing(graph, slots, of, (u, v, w), chance))
        gain, made = _gains(graph, slots, swaps, weights)
        better = np.flatnonzero(gain > 0)
        better = better[unshared(swaps.chosen(better), graph.vertices)]
        graph, support = applied(graph, support, swaps.chosen(better), made[:, better])
    return graph


def _open_pairs(graph: Graph, wanted: dict[int, float], chance: Chance) -> tuple[Integers, Integers, Integers]:
    """As many open pairs at random as are missing at each degree, a few times each, in random directions."""
    found = []
    for degree, share in wanted.items():
        pairs = _Pairs.at(graph, degree)
        missing = int(share * pairs.of.size) - int(pairs.joined.sum())
        if missing > 0:
            is_open = np.flatnonzero(~pairs.joined)
            chosen = is_open[chance.order(is_open.size)[:missing]]
            chosen = np.tile(chosen, TRIES)
            found.append(np.stack([pairs.of[chosen], pairs.first[chosen], pairs.second[chosen]]))
    u, v, w = np.concatenate(found, axis=1) if found else np.zeros((3, 0), dtype=np.int64)
    turned = chance.fractions(u.size) < 0.5
    return u, np.where(turned, w, v), np.where(turned, v, w)


def _gains(graph: Graph, slots: Slots, swaps: Swaps, weights: Reals) -> tuple[Reals, Integers]:
    """What each swap alone adds to clustering at small vertices, and how many triangles its new edges are in.

    Swaps whose edges are joined crosswise, or that cost too many triangles elsewhere, gain nothing.
    """
    v, x, w, y = swaps.v, swaps.x, swaps.w, swaps.y
    first, second = np.concatenate([v, x, v, w]), np.concatenate([w, y, x, y])
    common = common_neighbours(graph, first, second, neighbours=slots.neighbours)
    between = common_neighbours(graph, first, second, neighbours=slots.neighbours, weights=weights)
    worth = (between + common * (weights[first] + weights[second])).reshape(4, -1)
    crossing = graph.edges.contains(np.concatenate([x * graph.vertices + w, y * graph.vertices + v])).reshape(2, -1)
    each = common.reshape(4, -1)
    is_bad = crossing.any(axis=0) | (each[0] + each[1] - each[2] - each[3] < -MOST_LOST)
    return np.where(is_bad, 0.0, worth[0] + worth[1] - worth[2] - worth[3]), each[:2]
