"""Rewire a graph until it has a given number of triangles; degrees and edges between classes stay as they are.

A swap takes two edges v-x and w-y, where x and w are of one class, and puts v-w and x-y in their place. To close triangles, v and
w are two neighbours of one vertex, and the edges that go are among those in fewest triangles (`Slots` finds them). What a swap
changes is

    common(v, w) + common(x, y) - common(v, x) - common(w, y) - 2 [x and w are neighbours] - 2 [y and v are neighbours].

The triangles of the edges that go, common(v, x) and common(w, y), are known; those of the edges that come are counted. Swaps are
proposed and judged by the thousand on the graph as it stands; those that bring it nearer to the goal, and in which no edge is
taken or made twice, are done at once. They may still share a triangle, so triangles are counted anew as edges change.

All proposals of a round compete for a few edges of each vertex, so triangles grow at all vertices alike. If the best swaps came
first, or if large vertices gave a share of their edges, a goal would be reached in fewer rounds, but with cliques among large
vertices and little clustering at small ones. What is proposed for an edge that has gone already is not looked at.

Where progress ends, classes are joined in pairs: the goal then counts for more than the last detail of who meets whom.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers, Places
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

    `edges` has the place of the edge among the keys. `weakest` and `weakest_edges` have the neighbours of each vertex by strength
    alone, and their edges; `held` says which edges stay; `starts` is a table of where each code begins, if it is small, and
    `codes` are all codes otherwise.
    """

    codes: Integers = field(repr=False)
    neighbours: Numbers = field(repr=False)
    edges: Numbers = field(repr=False)
    weakest: Numbers = field(repr=False)
    weakest_edges: Numbers = field(repr=False)
    held: Booleans = field(repr=False)
    starts: Integers = field(repr=False)
    classes: int

    @classmethod
    def of(cls, graph: Graph, classes: Integers, support: Integers, chance: Chance) -> Slots:
        """The slots of a graph, by the class of each vertex and the support of each edge."""
        number = int(classes.max()) + 1
        most = np.minimum(graph.degrees[graph.sources], graph.degrees[graph.targets]) - 1
        strength = np.minimum(_FINE * support / np.sqrt(np.maximum(most, 1)), _STRONGEST).astype(np.uint16)
        held = is_held(graph.keys)
        strength[held] = _STRONGEST
        del most
        owners = np.concatenate([graph.sources, graph.targets], dtype=np.int32)  # narrow, since there are two for each edge
        neighbours = np.concatenate([graph.targets, graph.sources], dtype=np.int32)
        by_strength = _in_order(_weakest_first(strength, chance), owners)
        weakest, weakest_edges = neighbours[by_strength], (by_strength % len(graph)).astype(np.int32)
        del by_strength
        order = _in_order(_in_order(_weakest_first(strength, chance), classes.astype(np.uint16)[neighbours]), owners)
        codes = owners.astype(np.int64) * number + classes[neighbours]
        size = graph.vertices * number
        is_table = size <= _TABLE * codes.size
        return cls(
            codes=np.zeros(0, dtype=np.int64) if is_table else codes[order],
            neighbours=neighbours[order],
            edges=(order % len(graph)).astype(np.int32),
            weakest=weakest,
            weakest_edges=weakest_edges,
            held=held,
            starts=offsets_of(np.bincount(codes, minlength=size)) if is_table else np.zeros(0, dtype=np.int64),
            classes=number,
        )

    def ranges(self, codes: Integers) -> tuple[Integers, Integers]:
        """Where the slots of each code (a vertex times the number of classes, plus a class) begin and end."""
        if self.starts.size:
            return self.starts[codes], self.starts[codes + 1]
        return np.searchsorted(self.codes, codes, side="left"), np.searchsorted(self.codes, codes, side="right")


def _weakest_first(strength: AnyIntegers, chance: Chance) -> Places:
    """Both ends of each edge by its strength, equal ones in any order: one end may find an edge the weakest and the other not."""
    order = np.argsort((chance.words(2 * strength.size) >> np.uint64(48)).astype(np.uint16), kind="stable")
    return order[np.argsort(np.concatenate([strength, strength])[order], kind="stable")]


def _in_order(order: Places, values: AnyIntegers) -> Places:
    """This order of places, sorted by their values first: 16 bits after 16 bits, which takes a third of the time of one sort."""
    for shift in range(0, max(int(values.max(initial=0)).bit_length(), 1), 16):
        digits = ((values >> shift) & 0xFFFF).astype(np.uint16)
        order = order[np.argsort(digits[order], kind="stable")]
    return order


def is_held(keys: Integers) -> Booleans:
    """Whether each edge is one of those that stay, by a hash of its key."""
    return np.asarray(spread(keys, salt=29) < HELD, dtype=np.bool_)


# The swaps.


FEW = 2
"""An edge to be taken is one of this many that are in fewest triangles."""

ANYWHERE = 16
"""In every second of the first rounds, triangles are closed at any vertices alike."""

AT_ONCE = 2
"""How many swaps are proposed in one round at most, for each edge."""

PARTS = 8
"""In how many parts the proposals of a round are judged: what one part takes is not proposed to the next."""

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
    """Edges v-x and w-y that become v-w and x-y; `taken` are the places of the edges that go, in two rows."""

    v: Integers = field(repr=False)
    x: Integers = field(repr=False)
    w: Integers = field(repr=False)
    y: Integers = field(repr=False)
    taken: Integers = field(repr=False)

    def chosen(self, which: Places) -> Swaps:
        """Some of them."""
        return Swaps(self.v[which], self.x[which], self.w[which], self.y[which], self.taken[:, which])

    def made(self, vertices: int) -> Integers:
        """The keys of the edges that come, in two rows."""
        return np.stack([_keys(self.v, self.w, vertices), _keys(self.x, self.y, vertices)])


def _together(parts: list[Swaps]) -> Swaps:
    v, x, w, y = (np.concatenate([getattr(part, name) for part in parts]) for name in ("v", "x", "w", "y"))
    return Swaps(v, x, w, y, np.concatenate([part.taken for part in parts], axis=1))


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
        made = self.near.common(np.concatenate([swaps.v, swaps.x]), np.concatenate([swaps.w, swaps.y]))
        return self.support[swaps.taken], made.reshape(2, -1)

    def do(self, swaps: Swaps, made: Integers) -> None:
        """Swap; `made` has the triangles of the new edges."""
        n, places, keys = self.graph.vertices, swaps.taken.ravel(), self.graph.keys.copy()
        gone, come = keys[places], swaps.made(n).ravel()
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
    """Make those of `size` swaps that help; returns the sum of what each alone changes in the number of triangles."""
    graph, near = wired.graph, wired.near
    sign = 1 if missing > 0 else -1
    slots = Slots.of(graph, of, wired.support, chance) if missing > 0 else None
    gone = np.zeros(len(graph), dtype=np.bool_)
    found: list[tuple[Swaps, Integers, Integers]] = []
    for part in np.diff(np.linspace(0, size, PARTS + 1).astype(np.int64)).tolist():
        if slots is None:
            swaps = _any(graph, of, part, chance, gone)
        else:
            swaps = closing(wired, slots, of, _wedges(graph, slots, part, chance, anywhere=anywhere), chance, gone=gone)
        swaps = without_loops_and_repeats(near, swaps)
        before, made = wired.before_and_after(swaps)
        crossing = near.contains(swaps.x, swaps.w).astype(np.int64) + near.contains(swaps.y, swaps.v)
        change = (made.sum(axis=0) - before.sum(axis=0) - 2 * crossing) * sign
        better = np.flatnonzero(change > 0)
        better = better[unshared(swaps.chosen(better), graph.vertices)]
        swaps = swaps.chosen(better)
        gone[swaps.taken] = True
        found.append((swaps, made[:, better], change[better]))
        if sum(int(each[2].sum()) for each in found) > 2 * abs(missing):
            break
    swaps, made = _together([each[0] for each in found]), np.concatenate([each[1] for each in found], axis=1)
    change = np.concatenate([each[2] for each in found])
    kept = unshared(swaps, graph.vertices)
    so_far = np.cumsum(change[kept])
    kept = kept[: int(np.searchsorted(so_far, abs(missing), side="left")) + 1]
    if kept.size and so_far[kept.size - 1] - abs(missing) > abs(missing) - (so_far[kept.size - 2] if kept.size > 1 else 0):
        kept = kept[:-1]  # the last one would lead further away
    wired.do(swaps.chosen(kept), made[:, kept])
    return int(change[kept].sum()) * sign


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
    u = u if anywhere else neighbours[u].astype(np.int64)
    u = u[degrees[u] > 1]
    first = chance.below(degrees[u])
    second = chance.below(degrees[u] - 1)
    ends = (neighbours[offsets[u] + place].astype(np.int64) for place in (first, second + (second >= first)))
    return u, *ends


def closing(
    wired: Wired,
    slots: Slots,
    of: Integers,
    wedges: tuple[Integers, Integers, Integers],
    chance: Chance,
    *,
    gone: Booleans | None = None,
) -> Swaps:
    """Swaps that join two neighbours v, w of a vertex u; x and y are among the weakest of theirs, and no edge is `gone`."""
    graph = wired.graph
    offsets, degrees = graph.offsets, graph.degrees
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
    first = low + chance.below(np.minimum(high - low, FEW))
    second = offsets[w] + chance.below(np.minimum(degrees[w], FEW))
    x, y = slots.neighbours[first].astype(np.int64), slots.weakest[second].astype(np.int64)
    taken = np.stack([slots.edges[first], slots.weakest_edges[second]]).astype(np.int64)
    stays = slots.held if gone is None else slots.held | gone
    kept = np.flatnonzero((x != u) & (y != u) & ~stays[taken].any(axis=0))
    return Swaps(v[kept], x[kept], w[kept], y[kept], taken[:, kept])


def _any(graph: Graph, of: Integers, size: int, chance: Chance, gone: Booleans) -> Swaps:
    """Two edges, none of them gone, in random directions whose ends are of one class."""
    ends, taken = [], []
    for _ in range(2):
        edge = chance.below(np.full(size, len(graph)))
        turned = chance.fractions(size) < 0.5
        sources, targets = graph.sources[edge], graph.targets[edge]
        ends += [np.where(turned, targets, sources), np.where(turned, sources, targets)]
        taken.append(edge)
    v, x, w, y = ends
    swaps = Swaps(v, x, w, y, np.stack(taken))
    return swaps.chosen(np.flatnonzero((of[x] == of[w]) & ~gone[swaps.taken].any(axis=0)))


def unshared(swaps: Swaps, vertices: int) -> Places:
    """Swaps in order, without those that take or make an edge that one before them takes or makes."""
    flat = np.concatenate([-1 - swaps.taken, swaps.made(vertices)]).T.ravel()
    order = np.argsort(flat, kind="stable")
    again = np.zeros(flat.size, dtype=np.bool_)
    again[order[1:]] = flat[order[1:]] == flat[order[:-1]]
    return np.flatnonzero(~again.reshape(-1, 4).any(axis=1))
