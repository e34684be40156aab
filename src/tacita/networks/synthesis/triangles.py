"""Bring a wired graph to a noisy number of triangles.

Two means: the share of pairs that are matched close to each other on the ring, found by trial, and swaps, which are exact but
slow. Sparse graphs are left to the swaps mostly, because the ring gives triangles to many vertices alike; dense ones to the ring.
After swaps, small vertices, which they pass by, get theirs.

Which number that is, `belief` says; where noise could well explain the answer, nothing is done.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.graphs import Graph
from tacita.networks.synthesis.belief import NoisyTriangles, believed_triangles, most_triangles
from tacita.networks.synthesis.chance import Chance
from tacita.networks.synthesis.rewiring import Effort, rewired
from tacita.networks.synthesis.small_vertices import closed_at_small_vertices
from tacita.networks.synthesis.wiring import Dealt, wired

__all__ = ["estimated_triangles", "with_triangles"]


DENSE = 10.0
"""From which mean degree on the ring may give all triangles."""

SPARSE_SHARE = 0.5
"""The largest share of pairs that are matched on the ring in a sparse graph."""

LEAN = 0.035
"""In dense graphs, pairs with an end of degree d below the mean m are near less often, by (d / m) ** (LEAN o ** 2), where o are
the odds that a triangle needs no explanation but degrees and classes: what is missing then is missing among large vertices."""

MOSTLY = 0.5
"""Where chance explains more than this share of the triangles, none are closed at small vertices in particular."""

TRIALS = 7
"""How many shares are tried on the ring."""

NEAR_ENOUGH = 0.004
"""A graph whose triangles differ from the goal by less than this share of it is taken as it is."""

TOO_MANY = 0.01
"""From which share of triangles too many, once those at small vertices are closed, some at any vertices are opened again."""

LAST = Effort(rounds=6, near_enough=0.01, joins=0)
"""How long the number is put right after that."""

NEAR_ENOUGH_OF_A_SAMPLE = 0.01
"""The same for graphs whose triangles are estimated, which is no more exact than that."""

POWER = 2.5
"""Triangles that the ring adds grow about with this power of the share; measured anew as shares are tried."""

MOST_COUNTED, SAMPLE = 2**25, 2**19
"""Up to how many wedges triangles are counted, and how many wedges are looked at to estimate their number otherwise."""


def with_triangles(dealt: Dealt, of: Integers, noisy: NoisyTriangles, *, chance: Chance) -> Graph:
    """A graph with about as many triangles as the noisy number speaks for, as far as degrees and classes allow."""
    graph = wired(dealt, near=0.0, chance=chance)
    now = by_chance = estimated_triangles(graph, chance)
    goal = believed_triangles(noisy, by_chance=by_chance, most=most_triangles(graph))
    if goal is None:
        return graph
    is_dense = bool(dealt.degrees.mean() >= DENSE)
    if now < goal:
        most, lean = (1.0, LEAN * (now / max(goal - now, 1)) ** 2) if is_dense else (SPARSE_SHARE, 0.0)
        graph, now = _on_the_ring(dealt, (graph, now), (most, lean), goal, chance)
    if abs(goal - now) <= near_enough(graph) * goal and is_dense:
        return graph
    graph = rewired(graph, of, goal, chance=chance, along_edges=is_dense)
    if goal < now or by_chance > MOSTLY * goal:
        return graph
    graph = closed_at_small_vertices(graph, of, by_chance=by_chance / max(goal, 1), chance=chance)
    return rewired(graph, of, goal, chance=chance, effort=LAST) if graph.triangles() > (1 + TOO_MANY) * goal else graph


def _on_the_ring(
    dealt: Dealt, start: tuple[Graph, int], sharing: tuple[float, float], goal: int, chance: Chance
) -> tuple[Graph, int]:
    """The graph, and its triangles, of a share of near pairs up to the most at which they come next to the goal."""
    most, lean = sharing
    none, best = start[1], start
    tried: list[tuple[float, int]] = []
    power, share, tolerance = POWER, most, near_enough(start[0]) * goal
    for _ in range(TRIALS):
        graph = wired(dealt, near=share, chance=chance, lean=lean)
        found = estimated_triangles(graph, chance)
        if abs(found - goal) < abs(best[1] - goal):
            best = graph, found
        if abs(found - goal) <= tolerance or (share == most and found < goal):
            break
        tried.append((share, max(found - none, 1)))
        tried.sort(key=lambda point: abs(point[1] - (goal - none)))
        if len(tried) > 1 and tried[0][1] != tried[1][1]:  # the power that both points nearest to the goal lie on
            power = np.log(tried[0][1] / tried[1][1]) / np.log(tried[0][0] / tried[1][0])
            power = float(np.clip(power, 0.5, 6))
        share = float(np.clip(tried[0][0] * ((goal - none) / tried[0][1]) ** (1 / power), 0, most))
    return best


def near_enough(graph: Graph) -> float:
    """How near to its goal the number of triangles must come, as a share: less near where it is estimated."""
    return NEAR_ENOUGH if _is_counted(graph) else NEAR_ENOUGH_OF_A_SAMPLE


def _is_counted(graph: Graph) -> bool:
    return graph.bare().wedges_ahead <= MOST_COUNTED


def estimated_triangles(graph: Graph, chance: Chance) -> int:
    """The number of triangles: counted in small graphs, estimated from a sample of wedges in large ones."""
    graph = graph.bare()
    degrees = graph.degrees
    wedges = np.cumsum(degrees * (degrees - 1))
    if _is_counted(graph):
        return graph.triangles()
    centres = np.searchsorted(wedges, chance.below(np.full(SAMPLE, wedges[-1])), side="right")
    first = chance.below(degrees[centres])
    second = chance.below(degrees[centres] - 1)
    places = (graph.offsets[centres] + place for place in (first, second + (second >= first)))
    ends = [graph.arcs[place] - centres * graph.vertices for place in places]
    asked = np.sort(np.minimum(*ends) * graph.vertices + np.maximum(*ends))
    closed = float(np.mean(graph.keys[np.minimum(np.searchsorted(graph.keys, asked), len(graph) - 1)] == asked))
    return round(closed * float(wedges[-1]) / 6)
