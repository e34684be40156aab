"""Bring a wired graph to a noisy number of triangles.

Two means: the share of pairs that are matched close to each other on the ring, found by halving, and swaps, which are exact but
slow. Sparse graphs are left to the swaps mostly, because the ring gives triangles to many vertices alike; dense ones to the ring.

A noisy number is not chased beyond what it knows: the goal is drawn to the number that the graph has anyway by as much as the
noise asks, and where noise could explain all of the difference, nothing is done.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.arrays.graphs import Graph
from tacita.networks.synthesis.chance import Chance
from tacita.networks.synthesis.rewiring import Effort, rewired
from tacita.networks.synthesis.small_vertices import closed_at_small_vertices
from tacita.networks.synthesis.wiring import Dealt, wired

__all__ = ["estimated_triangles", "with_triangles"]

Integers = npt.NDArray[np.int64]

DENSE = 10.0
"""From which mean degree on the ring may give all triangles."""

SPARSE_SHARE = 0.5
"""The largest share of pairs that are matched on the ring in a sparse graph."""

LEAN = 0.25
"""In dense graphs, a pair with an end of degree d is near with a chance that falls with (d / mean degree) ** LEAN below the mean."""

TRIALS = 7
"""How many shares are tried on the ring."""

NEAR_ENOUGH = 0.004
"""A graph whose triangles differ from the goal by less than this share of it is taken as it is."""

TOO_MANY = 0.01
"""From which share of triangles too many, once those at small vertices are closed, some at any vertices are opened again."""

LAST = Effort(rounds=6, near_enough=0.01, joins=0)
"""How long the number is put right after that."""

SAMPLE = 2**18
"""How many wedges are looked at to estimate how many are closed."""


def with_triangles(dealt: Dealt, of: Integers, goal: int, *, deviation: float, chance: Chance) -> Graph:
    """A graph with about as many triangles as the goal says, as far as degrees and classes allow."""
    graph = wired(dealt, near=0.0, chance=chance)
    now = estimated_triangles(graph, chance)
    difference = goal - now
    if abs(difference) <= deviation:
        return graph
    by_chance, goal = now, round(now + difference * (1 - (deviation / difference) ** 2))
    is_dense = bool(dealt.degrees.mean() >= DENSE)
    if now < goal:
        graph, now = _on_the_ring(dealt, (graph, now), 1.0 if is_dense else SPARSE_SHARE, goal, chance)
    if abs(goal - now) <= NEAR_ENOUGH * goal:
        return graph
    if is_dense or goal < now:
        return rewired(graph, of, goal, chance=chance, along_edges=is_dense)
    graph = rewired(graph, of, goal, chance=chance)
    graph = closed_at_small_vertices(graph, of, by_chance=by_chance / max(goal, 1), chance=chance)
    return rewired(graph, of, goal, chance=chance, effort=LAST) if graph.triangles() > (1 + TOO_MANY) * goal else graph


def _on_the_ring(dealt: Dealt, start: tuple[Graph, int], most: float, goal: int, chance: Chance) -> tuple[Graph, int]:
    """The graph, and its triangles, of a share of near pairs between 0 and the most at which they come next to the goal."""
    (low, below), best = (0.0, start[1]), start
    high, above, share = most, None, most
    for _ in range(TRIALS):
        graph = wired(dealt, near=share, chance=chance, lean=LEAN if most == 1.0 else 0.0)
        found = estimated_triangles(graph, chance)
        if abs(found - goal) < abs(best[1] - goal):
            best = graph, found
        if abs(found - goal) <= NEAR_ENOUGH * goal or (share == most and found < goal):
            break
        if found < goal:
            low, below = share, found
        else:
            high, above = share, found
        # triangles grow faster than the share, so a chord meets the goal too early; halfway to the upper end makes up for it
        chord = low + (high - low) * (goal - below) / max((above or goal) - below, 1)
        share = (chord + (low + high) / 2) / 2
    return best


def estimated_triangles(graph: Graph, chance: Chance) -> int:
    """The number of triangles: counted in small graphs, estimated from a sample of wedges in large ones."""
    degrees = graph.degrees
    wedges = np.cumsum(degrees * (degrees - 1))
    if not wedges.size or wedges[-1] <= 8 * SAMPLE:
        return graph.triangles()
    centres = np.searchsorted(wedges, chance.below(np.full(SAMPLE, wedges[-1])), side="right")
    first = chance.below(degrees[centres])
    second = chance.below(degrees[centres] - 1)
    ends = [graph.neighbours[graph.offsets[centres] + place] for place in (first, second + (second >= first))]
    closed = graph.edges.contains(ends[0] * graph.vertices + ends[1]).mean()
    return round(float(closed) * float(wedges[-1]) / 6)
