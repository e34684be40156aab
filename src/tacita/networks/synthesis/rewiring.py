"""Rewire a graph until it has a given number of triangles; degrees and edges between classes stay as they are.

A swap takes two edges v-x and w-y, where x and w are of one class, and puts v-w and x-y in their place. To close triangles, v and
w are two neighbours of one vertex, and the edges that go are among those in fewest triangles (`Slots` finds them). What a swap
changes is

    common(v, w) + common(x, y) - common(v, x) - common(w, y) - 2 [x and w are neighbours] - 2 [y and v are neighbours].

Swaps are proposed and judged by the thousand on the graph as it stands; of those that bring it nearer to the goal, a set in which
no edge is taken or made twice is done at once. They may still share a triangle, so triangles are counted anew as edges change.
Where progress ends, classes are joined in pairs: the goal then counts for more than the last detail of who meets whom.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers, Places
from tacita.arrays.graphs import Graph, common_neighbours
from tacita.arrays.ragged import offsets_of
from tacita.arrays.scatter import spread
from tacita.networks.synthesis.classes import Chance

__all__ = ["Effort", "Slots", "Swaps", "applied", "closing", "is_held", "rewired", "unshared", "without_loops_and_repeats"]


# The two ends of each edge, sorted so that swaps find the weakest edges at once.
#
# The strength of an edge is the number of triangles it is in (its support), divided by the square root of how many it could be
# in, which is one less than the smaller degree of its ends. By support alone, the edges of small vertices would always be taken
# first, however well they are tied in.


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


# The swaps.


FEW = 2
"""An edge to be taken is one of this many that are in fewest triangles."""

STALE = 0.03
"""After this share of the edges has changed, triangles are counted anew."""

ANYWHERE = 16
"""In every second of the first rounds, triangles are closed at any vertices alike."""

AT_ONCE = 2
"""How many swaps are proposed in one round at most, for each edge."""

LOOK = 6
"""How many rounds are done before progress is judged."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How long a graph is rewired: rounds, all proposals for each edge, and how near to the goal is near enough."""

    rounds: int = 100
    proposals: float = 60.0
    near_enough: float = 0.002
    least_progress: float = 0.012
    joins: int = 3

    @classmethod
    def for_edges(cls, edges: int) -> Effort:
        """Fewer rounds for larger graphs, so that time grows with the edges only, and more proposals for small ones."""
        rounds, proposals = 6e6 / max(edges, 1), 2e6 / max(edges, 1)
        return cls(rounds=int(np.clip(rounds, 3, 100)), proposals=float(np.clip(proposals, 100, 150)))


@dataclass(frozen=True, eq=False)
class Swaps:
    """Edges v-x and w-y that become v-w and x-y."""

    v: Integers = field(repr=False)
    x: Integers = field(repr=False)
    w: Integers = field(repr=False)
    y: Integers = field(repr=False)

    def chosen(self, which: Places) -> Swaps:
        """Some of them."""
        return Swaps(self.v[which], self.x[which], self.w[which], self.y[which])

    def taken(self, vertices: int) -> tuple[Integers, Integers]:
        """The keys of the edges that go."""
        return _keys(self.v, self.x, vertices), _keys(self.w, self.y, vertices)

    def made(self, vertices: int) -> tuple[Integers, Integers]:
        """The keys of the edges that come."""
        return _keys(self.v, self.w, vertices), _keys(self.x, self.y, vertices)


def rewired(
    graph: Graph, of: Integers, goal: int, *, chance: Chance, along_edges: bool = False, effort: Effort | None = None
) -> Graph:
    """Swap edges until there are as many triangles as the goal says, or progress ends.

    Triangles are closed at vertices met along a random edge or, in every second of the first rounds, at any vertex.
    """
    if len(graph) < 4:
        return graph
    effort = Effort.for_edges(len(graph)) if effort is None else effort
    support = common_neighbours(graph, graph.sources, graph.targets)
    now = seen = int(support.sum()) // 3
    changed, asked, size, joins = 0, 0, len(graph) // 4 + 8, 0
    for attempt in range(effort.rounds):
        if abs(goal - now) <= effort.near_enough * goal or asked > effort.proposals * len(graph):
            if not changed:
                break
            support, changed = common_neighbours(graph, graph.sources, graph.targets), 0
            now = int(support.sum()) // 3
            if abs(goal - now) <= effort.near_enough * goal or asked > effort.proposals * len(graph):
                break
        if attempt % LOOK == LOOK - 1:
            if abs(now - seen) < effort.least_progress * max(goal, 1):
                if joins == effort.joins:
                    break
                of, joins = of // 2, joins + 1
            seen = now
        done, change, made = _round(
            graph,
            Slots.of(graph, of, support),
            of,
            goal - now,
            size,
            chance,
            anywhere=not along_edges and attempt % 2 > 0 and attempt < ANYWHERE,
        )
        asked += size
        gain = abs(int(change.sum()))
        size = int(np.clip(1.2 * size * abs(goal - now) / max(gain, 1), len(graph) // 16 + 8, AT_ONCE * len(graph)))
        graph, support = applied(graph, support, done, made)
        now += int(change.sum())
        changed += 2 * done.v.size
        if changed > STALE * len(graph):
            support, changed = common_neighbours(graph, graph.sources, graph.targets), 0
            now = int(support.sum()) // 3
    return graph


def _round(  # noqa: PLR0913 - the state of the search
    graph: Graph, slots: Slots, of: Integers, missing: int, size: int, chance: Chance, *, anywhere: bool
) -> tuple[Swaps, Integers, Integers]:
    """Swaps to be done, what each changes, and how many common neighbours the ends of their new edges have."""
    n = graph.vertices
    if missing > 0:
        swaps = closing(graph, slots, of, _wedges(graph, slots, size, chance, anywhere=anywhere), chance)
    else:
        swaps = _any(graph, of, size, chance)
    swaps = without_loops_and_repeats(graph, swaps)
    change, made = _changes(graph, slots, swaps)
    better = np.flatnonzero(change > 0) if missing > 0 else np.flatnonzero(change < 0)
    better = better[unshared(swaps.chosen(better), n)]
    so_far = np.cumsum(np.abs(change[better]))
    better = better[: int(np.searchsorted(so_far, abs(missing), side="left")) + 1]
    if better.size and so_far[better.size - 1] - abs(missing) > abs(missing) - (
        so_far[better.size - 2] if better.size > 1 else 0
    ):
        better = better[:-1]  # the last one would lead further away
    return swaps.chosen(better), change[better], made[:, better]


def _keys(first: Integers, second: Integers, vertices: int) -> Integers:
    return np.minimum(first, second) * vertices + np.maximum(first, second)


def without_loops_and_repeats(graph: Graph, swaps: Swaps) -> Swaps:
    """Those swaps that make two edges which are not there yet."""
    v, x, w, y = swaps.v, swaps.x, swaps.w, swaps.y
    swaps = swaps.chosen(np.flatnonzero((v != w) & (v != y) & (x != w) & (x != y)))
    exists = graph.edges.contains(np.concatenate(swaps.made(graph.vertices))).reshape(2, -1)
    return swaps.chosen(np.flatnonzero(~exists.any(axis=0)))


def _wedges(graph: Graph, slots: Slots, size: int, chance: Chance, *, anywhere: bool) -> tuple[Integers, Integers, Integers]:
    """A vertex u, which is any vertex or met along a random edge, and two neighbours v and w of it."""
    offsets, degrees, neighbours = graph.offsets, graph.degrees, slots.neighbours
    u = chance.below(np.full(size, graph.vertices if anywhere else neighbours.size))
    u = u if anywhere else neighbours[u]
    u = u[degrees[u] > 1]
    first = chance.below(degrees[u])
    second = chance.below(degrees[u] - 1)
    return u, neighbours[offsets[u] + first], neighbours[offsets[u] + second + (second >= first)]


def closing(graph: Graph, slots: Slots, of: Integers, wedges: tuple[Integers, Integers, Integers], chance: Chance) -> Swaps:
    """Swaps that join two neighbours v, w of a vertex u; x and y are among the weakest of theirs."""
    n, offsets, degrees, neighbours = graph.vertices, graph.offsets, graph.degrees, slots.neighbours
    is_open = np.flatnonzero(~graph.edges.contains(wedges[1] * n + wedges[2]))
    u, v, w = (ends[is_open] for ends in wedges)
    low, high = slots.ranges(v * slots.classes + of[w])
    kept = np.flatnonzero((high > low) & (degrees[v] > 1) & (degrees[w] > 1))
    u, v, w, low, high = u[kept], v[kept], w[kept], low[kept], high[kept]
    x = neighbours[low + chance.below(np.minimum(high - low, FEW))]
    y = slots.weakest[offsets[w] + chance.below(np.minimum(degrees[w], FEW))]
    kept = np.flatnonzero((x != u) & (y != u) & ~is_held(_keys(v, x, n)) & ~is_held(_keys(w, y, n)))
    return Swaps(v[kept], x[kept], w[kept], y[kept])


def _any(graph: Graph, of: Integers, size: int, chance: Chance) -> Swaps:
    """Two edges in random directions whose ends are of one class."""
    ends = []
    for _ in range(2):
        edge = chance.below(np.full(size, len(graph)))
        turned = chance.fractions(size) < 0.5
        sources, targets = graph.sources[edge], graph.targets[edge]
        ends += [np.where(turned, targets, sources), np.where(turned, sources, targets)]
    v, x, w, y = ends
    return Swaps(v, x, w, y).chosen(np.flatnonzero(of[x] == of[w]))


def _changes(graph: Graph, slots: Slots, swaps: Swaps) -> tuple[Integers, Integers]:
    """How many triangles more there are after each swap alone, and how many its two new edges are in."""
    v, x, w, y = swaps.v, swaps.x, swaps.w, swaps.y
    n = graph.vertices
    first, second = np.concatenate([v, x, v, w]), np.concatenate([w, y, x, y])
    common = common_neighbours(graph, first, second, neighbours=slots.neighbours).reshape(4, -1)
    crossing = graph.edges.contains(np.concatenate([_keys(x, w, n), _keys(y, v, n)])).reshape(2, -1).sum(axis=0)
    return common[0] + common[1] - common[2] - common[3] - 2 * crossing, common[:2]


def unshared(swaps: Swaps, vertices: int) -> Places:
    """Swaps in order, without those that take or make an edge that one before them takes or makes."""
    flat = np.stack([*swaps.taken(vertices), *swaps.made(vertices)], axis=1).ravel()
    order = np.argsort(flat, kind="stable")
    again = np.zeros(flat.size, dtype=np.bool_)
    again[order[1:]] = flat[order[1:]] == flat[order[:-1]]
    return np.flatnonzero(~again.reshape(-1, 4).any(axis=1))


def applied(graph: Graph, support: Integers, swaps: Swaps, made: Integers) -> tuple[Graph, Integers]:
    """The graph after these swaps, and the triangles that each edge is in; `made` has those of the new edges."""
    n = graph.vertices
    if not swaps.v.size:
        return graph, support
    places = np.searchsorted(graph.keys, np.concatenate(swaps.taken(n)))
    keys, support = graph.keys.copy(), support.copy()
    keys[places] = np.concatenate(swaps.made(n))
    support[places] = made.ravel()
    order = np.argsort(keys, kind="stable")
    return Graph(n, keys[order]), support[order]
