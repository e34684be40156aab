"""Rewire a graph until it has a given number of triangles; degrees and edges between classes stay as they are.

A swap takes two edges v-x and w-y, where x and w are of one class, and puts v-w and x-y in their place. To close triangles, v and
w are two neighbours of one vertex, and the edges that go are among those in fewest triangles (`Slots` finds them). What a swap
changes is

    common(v, w) + common(x, y) - common(v, x) - common(w, y) - 2 [x and w are neighbours] - 2 [y and v are neighbours].

The triangles of the edges that go, common(v, x) and common(w, y), are known; those of the edges that come are counted. Swaps are
proposed and judged by the thousand on the graph as it stands; of those that bring it nearer to the goal, the best in which no
edge is taken or made twice are done at once. They may still share a triangle, so triangles are counted anew as edges change.
Where progress ends, classes are joined in pairs: the goal then counts for more than the last detail of who meets whom.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers, Places
from tacita.arrays.graphs import Adjacency, Graph, adjacency_of
from tacita.arrays.ragged import offsets_of
from tacita.arrays.scatter import spread
from tacita.networks.synthesis.classes import Chance

__all__ = ["Effort", "Slots", "Swaps", "Wired", "closing", "is_held", "rewired", "unshared", "without_loops_and_repeats"]


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


FEW, FEW_SHARE = 2, 0.15
"""An edge to be taken is one of this many, or of this share of the edges of its vertex, that are in fewest triangles."""

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

    def taken(self, vertices: int) -> Integers:
        """The keys of the edges that go, those at v first."""
        return np.concatenate([_keys(self.v, self.x, vertices), _keys(self.w, self.y, vertices)])

    def made(self, vertices: int) -> Integers:
        """The keys of the edges that come, those at v first."""
        return np.concatenate([_keys(self.v, self.w, vertices), _keys(self.x, self.y, vertices)])


@dataclass(eq=False)
class Wired:
    """A graph that changes, who is whose neighbour in it, and how many triangles each edge is in, counted anew now and then."""

    graph: Graph = field(repr=False)
    near: Adjacency = field(repr=False)
    support: Integers = field(repr=False)
    changed: int = 0
    inside: Integers | None = field(default=None, repr=False)
    """Blocks of vertices inside which alone triangles are closed."""

    @classmethod
    def of(cls, graph: Graph, inside: Integers | None = None) -> Wired:
        """Nothing has changed yet."""
        near = adjacency_of(graph)
        return cls(graph, near, near.common(graph.sources, graph.targets), inside=inside)

    @property
    def triangles(self) -> int:
        """The number of triangles when they were last counted."""
        return int(self.support.sum()) // 3

    def recounted(self, *, share: float) -> bool:
        """Count all triangles if more than this share of the edges have changed since; says whether that was so."""
        if self.changed <= share * len(self.graph):
            return False
        self.support, self.changed = self.near.common(self.graph.sources, self.graph.targets), 0
        return True

    def before_and_after(self, swaps: Swaps) -> tuple[Integers, Integers]:
        """The triangles of the two edges that each swap takes, and of the two that it makes, as the graph stands."""
        places = np.searchsorted(self.graph.keys, swaps.taken(self.graph.vertices))
        made = self.near.common(np.concatenate([swaps.v, swaps.x]), np.concatenate([swaps.w, swaps.y]))
        return self.support[places].reshape(2, -1), made.reshape(2, -1)

    def do(self, swaps: Swaps, made: Integers) -> None:
        """Swap; `made` has the triangles of the new edges."""
        n = self.graph.vertices
        gone, come = swaps.taken(n), swaps.made(n)
        places = np.searchsorted(self.graph.keys, gone)
        keys = self.graph.keys.copy()
        keys[places] = come
        self.support[places] = made.ravel()
        order = np.argsort(keys, kind="stable")
        self.graph, self.support = Graph(n, keys[order]), self.support[order]
        self.near = self.near.after(self.graph, gone, come)
        self.changed += gone.size


def rewired(  # noqa: PLR0913 - what is kept, and how long
    graph: Graph,
    of: Integers,
    goal: int,
    *,
    chance: Chance,
    along_edges: bool = False,
    effort: Effort | None = None,
    inside: Integers | None = None,
) -> Graph:
    """Swap edges until there are as many triangles as the goal says, or progress ends.

    Triangles are closed at vertices met along a random edge or, in every second of the first rounds, at any vertex.
    """
    if len(graph) < 4:
        return graph
    effort = Effort.for_edges(len(graph)) if effort is None else effort
    wired = Wired.of(graph, inside)
    now = seen = wired.triangles
    asked, size, joins = 0, len(graph) // 4 + 8, 0
    for attempt in range(effort.rounds):
        if abs(goal - now) <= effort.near_enough * goal or asked > effort.proposals * len(graph):
            if not wired.recounted(share=0.0):
                break
            now = wired.triangles
            if abs(goal - now) <= effort.near_enough * goal or asked > effort.proposals * len(graph):
                break
        if attempt % LOOK == LOOK - 1:
            if abs(now - seen) < effort.least_progress * max(goal, 1):
                if joins == effort.joins:
                    break
                of, joins = of // 2, joins + 1
            seen = now
        anywhere = not along_edges and attempt % 2 > 0 and attempt < ANYWHERE
        change = _round(wired, of, goal - now, size, chance, anywhere=anywhere)
        asked += size
        size = int(np.clip(1.2 * size * abs(goal - now) / max(abs(change), 1), len(graph) // 16 + 8, AT_ONCE * len(graph)))
        now = wired.triangles if wired.recounted(share=wired.near.patience) else now + change
    return wired.graph


def _round(wired: Wired, of: Integers, missing: int, size: int, chance: Chance, *, anywhere: bool) -> int:
    """Do the best of so many swaps; returns by how many triangles they change the graph, each for itself."""
    graph, near = wired.graph, wired.near
    if missing > 0:
        slots = Slots.of(graph, of, wired.support)
        swaps = closing(wired, slots, of, _wedges(graph, slots, size, chance, anywhere=anywhere), chance)
    else:
        swaps = _any(graph, of, size, chance)
    swaps = without_loops_and_repeats(near, swaps)
    before, made = wired.before_and_after(swaps)
    crossing = near.contains(swaps.x, swaps.w).astype(np.int64) + near.contains(swaps.y, swaps.v)
    change = (made.sum(axis=0) - before.sum(axis=0) - 2 * crossing) * (1 if missing > 0 else -1)
    better = np.argsort(-change, kind="stable")
    better = better[: int(np.count_nonzero(change > 0))]
    better = better[unshared(swaps.chosen(better), graph.vertices)]
    so_far = np.cumsum(change[better])
    better = better[: int(np.searchsorted(so_far, abs(missing), side="left")) + 1]
    if better.size and so_far[better.size - 1] - abs(missing) > abs(missing) - (
        so_far[better.size - 2] if better.size > 1 else 0
    ):
        better = better[:-1]  # the last one would lead further away
    wired.do(swaps.chosen(better), made[:, better])
    return int(change[better].sum()) * (1 if missing > 0 else -1)


def _keys(first: Integers, second: Integers, vertices: int) -> Integers:
    return np.minimum(first, second) * vertices + np.maximum(first, second)


def without_loops_and_repeats(near: Adjacency, swaps: Swaps) -> Swaps:
    """Those swaps that make two edges which are not there yet."""
    v, x, w, y = swaps.v, swaps.x, swaps.w, swaps.y
    swaps = swaps.chosen(np.flatnonzero((v != w) & (v != y) & (x != w) & (x != y)))
    return swaps.chosen(np.flatnonzero(~(near.contains(swaps.v, swaps.w) | near.contains(swaps.x, swaps.y))))


def _wedges(graph: Graph, slots: Slots, size: int, chance: Chance, *, anywhere: bool) -> tuple[Integers, Integers, Integers]:
    """A vertex u, which is any vertex or met along a random edge, and two neighbours v and w of it."""
    offsets, degrees, neighbours = graph.offsets, graph.degrees, slots.neighbours
    u = chance.below(np.full(size, graph.vertices if anywhere else neighbours.size))
    u = u if anywhere else neighbours[u]
    u = u[degrees[u] > 1]
    first = chance.below(degrees[u])
    second = chance.below(degrees[u] - 1)
    return u, neighbours[offsets[u] + first], neighbours[offsets[u] + second + (second >= first)]


def closing(wired: Wired, slots: Slots, of: Integers, wedges: tuple[Integers, Integers, Integers], chance: Chance) -> Swaps:
    """Swaps that join two neighbours v, w of a vertex u; x and y are among the weakest of theirs."""
    graph = wired.graph
    n, offsets, degrees = graph.vertices, graph.offsets, graph.degrees
    u, v, w = wedges
    if wired.inside is not None:
        block = wired.inside
        kept = np.flatnonzero((block[u] == block[v]) & (block[v] == block[w]))
        u, v, w = u[kept], v[kept], w[kept]
    is_open = np.flatnonzero(~wired.near.contains(v, w))
    u, v, w = u[is_open], v[is_open], w[is_open]
    low, high = slots.ranges(v * slots.classes + of[w])
    kept = np.flatnonzero((high > low) & (degrees[v] > 1) & (degrees[w] > 1))
    u, v, w, low, high = u[kept], v[kept], w[kept], low[kept], high[kept]
    x = slots.neighbours[low + chance.below(_few(high - low))]
    y = slots.weakest[offsets[w] + chance.below(_few(degrees[w]))]
    kept = np.flatnonzero((x != u) & (y != u) & ~is_held(_keys(v, x, n)) & ~is_held(_keys(w, y, n)))
    return Swaps(v[kept], x[kept], w[kept], y[kept])


def _few(lengths: Integers) -> Integers:
    """How many of so many edges may be taken."""
    return np.minimum(lengths, np.maximum(FEW, (FEW_SHARE * lengths).astype(np.int64)))


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


def unshared(swaps: Swaps, vertices: int) -> Places:
    """Swaps in order, without those that take or make an edge that one before them takes or makes."""
    flat = np.concatenate([swaps.taken(vertices), swaps.made(vertices)]).reshape(4, -1).T.ravel()
    order = np.argsort(flat, kind="stable")
    again = np.zeros(flat.size, dtype=np.bool_)
    again[order[1:]] = flat[order[1:]] == flat[order[:-1]]
    return np.flatnonzero(~again.reshape(-1, 4).any(axis=1))
