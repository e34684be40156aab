"""Searches for a showing that keeps the bound at a small loss: top-down, bottom-up, exhaustive, and the best of them.

Algorithms 1 to 3 of Bonomi, Fan and Jin (WSDM 2016); each section says where we depart from the paper and why. Read the
searches in their order (`top_down` and its other starts, `bottom_up`, `optimum`), then `nodes_shown`, which shows single places
as they are where nothing sensitive can be, and last `sanitize`, which runs a search by its name.

The default is *best*. Top-down from three starts and bottom-up search different parts of the space, and each wins on some data.
So *best* runs all of them, refines what each found as far as the bound allows, and takes the least loss. Top-down by leaves and
bottom-up have tried every step already, and a step that failed once fails for good, so only the other two are refined.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.errors import ParameterError
from tacita.personal.bounds import Bound, Judge
from tacita.personal.problem import Problem, Tree
from tacita.public.parameters import Chosen

__all__ = [
    "Algorithm",
    "Infeasible",
    "Sanitized",
    "Scope",
    "Space",
    "bottom_up",
    "least_common",
    "nodes_shown",
    "optimum",
    "place_loss",
    "refined",
    "sanitize",
    "top_down",
    "top_down_leaves",
    "top_down_sensitive",
]


# Top-down refinement (Bonomi, Fan and Jin, WSDM 2016, Algorithm 1), lazy: only the step that saves most is tested.
#
# It starts from a showing that keeps the bound, usually the root everywhere, and takes steps: all symbols below a child of a
# node, as far as they are shown as this node, are shown as the child. A step saves what it saves whatever was done before, so
# testing the best one and dropping it for good when it fails gives what testing all of them in each round gives, since measures
# never fall under refinement.
#
# Where it departs from the paper: the start is tested, since no release may break its bound; a symbol that is shown as itself
# is done with; and there are three starts, because each wins on some data:
#
# - `top_down`: from the root everywhere.
# - `top_down_sensitive`: only sensitive symbols start at the root, if this keeps the bound; all others are shown.
# - `top_down_leaves`: a step may also show a single symbol as itself, straight from wherever it is. The symbols that stay
#   behind are its cover.
#
# `refined` takes any showing that keeps the bound and goes on from it, with all steps.


def top_down(judge: Judge) -> Integers | None:
    """Refine the root everywhere, subtree by subtree; nothing if not even that keeps the bound."""
    start = judge.problem.nothing_shown
    return _descend(judge, start, leaves=False) if judge.keeps(start) else None


def top_down_sensitive(judge: Judge) -> Integers | None:
    """The same with only the sensitive symbols at the root, if this keeps the bound."""
    start = judge.problem.everything_shown
    start[judge.problem.sensitive] = judge.problem.tree.root
    return _descend(judge, start, leaves=False) if judge.keeps(start) else None


def top_down_leaves(judge: Judge) -> Integers | None:
    """Refine the root everywhere, by subtrees and by single symbols."""
    start = judge.problem.nothing_shown
    return _descend(judge, start, leaves=True) if judge.keeps(start) else None


def refined(judge: Judge, start: Integers) -> Integers:
    """Whatever can still be refined from a showing that keeps the bound."""
    return _descend(judge, start, leaves=True)


def _descend(judge: Judge, start: Integers, *, leaves: bool) -> Integers:
    """Take steps from the one that saves most on, as long as the bound is kept."""
    problem, steps = judge.problem, _Steps(judge.problem, start)
    for node in sorted(set(steps.showing)):
        steps.below(node)
    if leaves:
        for symbol, label in enumerate(problem.labels.tolist()):
            if steps.showing[symbol] != label:
                steps.add(label, alone=True)
    while (step := steps.best()) is not None:
        node, moved = step
        before = [steps.showing[symbol] for symbol in moved]
        steps.move(moved, [node] * len(moved))
        if judge.keeps_blocks(tuple(steps.blocks[steps.showing[symbol]] for symbol in problem.sensitive)):
            steps.below(node)
        else:
            steps.move(moved, before)
    return np.array(steps.showing, dtype=np.int64)


class _Steps:
    """A showing, its blocks, and the steps that may still be taken, the one that saves most first.

    Plain lists, because a step moves few symbols. What a step saves may have shrunk since it came here.
    """

    def __init__(self, problem: Problem, start: Integers) -> None:
        self._tree = problem.tree
        self._depths: list[int] = problem.tree.depths.tolist()
        costs = np.where(np.isfinite(problem.costs), problem.costs, 0.0)  # what is below a label is never asked for
        self._prices: list[list[float]] = (problem.weights[:, None] * costs).tolist()
        self._waiting: list[tuple[float, bool, int]] = []
        self.showing: list[int] = start.tolist()
        self.blocks: dict[int, int] = {}
        for symbol, node in enumerate(self.showing):
            self.blocks[node] = self.blocks.get(node, 0) | 1 << symbol

    def move(self, symbols: list[int], nodes: list[int]) -> None:
        """Show each symbol as another node."""
        for symbol, node in zip(symbols, nodes, strict=True):
            self.blocks[self.showing[symbol]] ^= 1 << symbol
            self.blocks[node] = self.blocks.get(node, 0) | 1 << symbol
            self.showing[symbol] = node

    def below(self, node: int) -> None:
        """Add the steps from a node to its children."""
        for child in self._tree.children.get(node, ()):
            self.add(child, alone=False)

    def add(self, node: int, *, alone: bool) -> None:
        """Add a step to a node: of all that is shown as its parent, or of a symbol alone from wherever it is."""
        moved = self._moved(node, alone=alone)
        if moved:
            heapq.heappush(self._waiting, (-self._saved(node, moved), alone, node))

    def best(self) -> tuple[int, list[int]] | None:
        """Take out the step that saves most."""
        while self._waiting:
            saved, alone, node = heapq.heappop(self._waiting)
            moved = self._moved(node, alone=alone)
            if not moved:
                continue
            now = self._saved(node, moved)
            if now < -saved * (1 - 1e-9):
                heapq.heappush(self._waiting, (-now, alone, node))
                continue
            return node, moved
        return None

    def _moved(self, node: int, *, alone: bool) -> list[int]:
        members, parent = self._tree.members_of[node], self._tree.parents[node]
        return [symbol for symbol in members if (self.showing[symbol] != node if alone else self.showing[symbol] == parent)]

    def _saved(self, node: int, moved: list[int]) -> float:
        after = self._depths[node]
        return sum(self._prices[symbol][self._depths[self.showing[symbol]]] - self._prices[symbol][after] for symbol in moved)


# Bottom-up merging of sensitive patterns (Bonomi, Fan and Jin, WSDM 2016, Algorithms 2 and 3).
#
# It starts with everything shown. While the bound is broken, it takes one of two steps: *merge* two patterns of one length, so
# that both are shown as their least common generalized pattern; or *collapse* a subtree above a sensitive symbol, so that
# everything below a node is shown as this node. When the bound is kept, whatever was generalized in vain on the way is refined
# again.
#
# Where it departs from the paper:
#
# - The step is the one with the least loss for what it hides, merge or collapse. The paper merges the closest pair, whatever
#   this hides, and collapses only when one pattern is left; that cost half as much again as this does on small random problems.
# - What was found is refined, by the steps of `top_down_leaves`. A late merge often makes an early one needless.
# - Only patterns of one length are merged, since others have no common pattern.
# - When a node is generalized, so is every symbol that is shown as it.


def bottom_up(judge: Judge) -> Integers | None:
    """Merge and collapse until the bound is kept, then refine; nothing if the root everywhere does not keep it."""
    problem, showing = judge.problem, judge.problem.everything_shown
    while not judge.keeps(showing):
        coarser = _cheapest(judge, showing, [*_merged(problem, showing), *_collapsed(problem, showing)])
        if coarser is None:
            return None
        showing = coarser
    return refined(judge, showing)


def least_common(tree: Tree, one: Sequence[int], other: Sequence[int]) -> dict[int, int]:
    """The node that each node of two strings goes to, so that both become their least common generalized pattern.

    Nodes that are at one position of the two strings become one, and so does everything that this connects.
    """
    group = {node: node for node in (*one, *other)}

    def head(node: int) -> int:
        while group[node] != node:
            node = group[node]
        return node

    for left, right in zip(one, other, strict=True):
        group[head(left)] = head(right)
    top: dict[int, int] = {}
    for node in group:
        top[head(node)] = tree.common(top[head(node)], node) if head(node) in top else node
    return {node: top[head(node)] for node in group}


def _cheapest(judge: Judge, showing: Integers, steps: Iterable[Integers]) -> Integers | None:
    """The coarser showing with the least loss for what it hides; nothing if there is none."""
    leak, loss = judge.leak(showing), judge.problem.loss(showing)
    best: tuple[float, Integers] | None = None
    for coarser in steps:
        hidden = max(leak - judge.leak(coarser), float(np.finfo(float).tiny))
        price = (judge.problem.loss(coarser) - loss) / hidden
        if best is None or price < best[0]:
            best = price, coarser
    return None if best is None else best[1]


def _merged(problem: Problem, showing: Integers) -> Iterator[Integers]:
    """Each two strings of one length as their least common generalized pattern."""
    for patterns in problem.by_length.values():
        strings = sorted({tuple(showing[list(pattern)].tolist()) for pattern in patterns})
        for one, other in combinations(strings, 2):
            yield _applied(showing, least_common(problem.tree, one, other))


def _applied(showing: Integers, moves: Mapping[int, int]) -> Integers:
    """Whatever is shown as one node is shown as another."""
    merged = showing.copy()
    for node, target in moves.items():
        if node != target:
            merged[showing == node] = target
    return merged


def _collapsed(problem: Problem, showing: Integers) -> Iterator[Integers]:
    """Everything below a node as this node, for each node at or above what a sensitive symbol is shown as."""
    tree = problem.tree
    for node in sorted({node for symbol in problem.sensitive for node in tree.above(int(showing[symbol]))}):
        members = tree.members[node]
        lower = members[tree.depths[showing[members]] > tree.depths[node]]
        if lower.size:
            collapsed = showing.copy()
            collapsed[lower] = node
            yield collapsed


# The optimum by trying everything, for up to nine symbols: what the other searches are compared with.
#
# Two spaces. *Subtrees* is what `top_down` walks through: below each node, each child's symbols are shown as the node, or the
# child's subtree is shown in one of its own ways. *Paths* lets every symbol choose any node above it, which is everything there
# is.

MOST_SYMBOLS = 9
MOST_SHOWINGS = 2_000_000


class Space(StrEnum):
    """Which showings are tried."""

    SUBTREES = "subtrees"
    PATHS = "paths"


def optimum(judge: Judge, *, space: Space = Space.PATHS) -> Integers | None:
    """The showing with the least loss that keeps the bound; nothing if there is none."""
    problem = judge.problem
    if problem.labels.size > MOST_SYMBOLS:
        message = f"the optimum can be had for at most {MOST_SYMBOLS} symbols that occur; choose best, which searches"
        raise ParameterError(message)
    ways = _number_of_paths(problem)
    if space is Space.PATHS and ways > MOST_SHOWINGS:
        message = f"the optimum can be had for at most {MOST_SHOWINGS:,} showings; choose best, which searches"
        raise ParameterError(message)
    showings = list(_subtrees(problem, problem.tree.root) if space is Space.SUBTREES else product(*problem.tree.paths))
    rows = np.array(showings, dtype=np.int64).reshape(len(showings), problem.labels.size)
    losses = problem.costs[np.arange(problem.labels.size), problem.tree.depths[rows]] @ problem.weights
    for place in np.argsort(losses, kind="stable").tolist():
        if judge.keeps(rows[place]):
            return np.asarray(rows[place])
    return None


def _number_of_paths(problem: Problem) -> int:
    ways = 1
    for path in problem.tree.paths:
        ways *= len(path)
    return ways


def _subtrees(problem: Problem, top: int) -> Iterator[tuple[int, ...]]:
    """Every way to show all symbols, in the order of their numbers."""
    for way in _below(problem, top):
        shown = dict(way)
        yield tuple(shown[symbol] for symbol in range(problem.labels.size))


def _below(problem: Problem, node: int) -> list[tuple[tuple[int, int], ...]]:
    """Every way to show what is below a node that may itself be shown, as pairs of symbol and node."""
    children = problem.tree.children.get(node)
    if not children:
        return [tuple((symbol, node) for symbol in problem.tree.members[node].tolist())]
    ways = [
        [tuple((symbol, node) for symbol in problem.tree.members[child].tolist()), *_below(problem, child)] for child in children
    ]
    return [tuple(pair for part in parts for pair in part) for parts in product(*ways)]


# Local generalization: of a symbol, only the places that need it are generalized (section 3.2 of the paper, not solved there).
#
# Take a showing that keeps the bound. A place that takes part in no tuple that shows a sensitive pattern's string can be shown
# as it is, and this changes no belief and no mutual information at all:
#
# - No tuple with this place holds a sensitive pattern, or it would show its string. So nothing that is hidden is shown.
# - No string of a sensitive pattern holds the symbol itself, which is generalized; so no tuple joins a string, and none leaves
#   it.
#
# Which places these are can be seen from the global release, so their true symbols are all that is added. What it cannot
# promise is what the global one cannot either: that nobody infers anything from the choice of the showing, which depends on the
# sequence.


class Scope(StrEnum):
    """Whether a symbol is shown the same way everywhere, or as itself wherever nothing sensitive can be."""

    GLOBAL = "global"
    LOCAL = "local"


def nodes_shown(problem: Problem, showing: Integers, *, scope: Scope) -> Integers:
    """The node that is shown at each place of the sequence."""
    nodes: Integers = showing[problem.sequence]
    if scope is Scope.GLOBAL:
        return nodes
    free = ~_taking_part(problem, showing)
    nodes[free] = problem.labels[problem.sequence[free]]
    return nodes


def place_loss(problem: Problem, nodes: Integers) -> float:
    """The loss in the mean over the places, by weight."""
    total = float(problem.place_weights.sum())
    costs = problem.costs[problem.sequence, problem.tree.depths[nodes]]
    return float((problem.place_weights * costs).sum()) / total if total else 0.0  # a product of vectors would start threads


def _taking_part(problem: Problem, showing: Integers) -> Booleans:
    """Which places are in a tuple that shows the string of a sensitive pattern."""
    places = 0
    for string in set(problem.shown_as(problem.blocks(showing)).values()):
        places |= problem.occurrences.places(string)
    size = problem.sequence.size
    octets = np.frombuffer(places.to_bytes(-(-size // 8) or 1, "little"), dtype=np.uint8)
    return np.unpackbits(octets, count=size, bitorder="little").view(np.bool_)


class Algorithm(StrEnum):
    """The searches."""

    BEST = "best"
    TOP_DOWN = "top-down"
    TOP_DOWN_SENSITIVE = "top-down-sensitive"
    TOP_DOWN_LEAVES = "top-down-leaves"
    BOTTOM_UP = "bottom-up"
    OPTIMUM = "optimum"


_SEARCHES: dict[Algorithm, Callable[[Judge], Integers | None]] = {
    Algorithm.TOP_DOWN: top_down,
    Algorithm.TOP_DOWN_SENSITIVE: top_down_sensitive,
    Algorithm.TOP_DOWN_LEAVES: top_down_leaves,
    Algorithm.BOTTOM_UP: bottom_up,
    Algorithm.OPTIMUM: optimum,
}
_ALL = (Algorithm.TOP_DOWN, Algorithm.TOP_DOWN_SENSITIVE, Algorithm.TOP_DOWN_LEAVES, Algorithm.BOTTOM_UP)
_BY_SUBTREES = {Algorithm.TOP_DOWN, Algorithm.TOP_DOWN_SENSITIVE}


@dataclass(frozen=True, kw_only=True, eq=False)
class Sanitized:
    """What is shown at each place, by which showing, found by which search, at which cost. Losses are for the owner's eyes."""

    nodes: Integers
    showing: Integers
    algorithm: Chosen[Algorithm] = Chosen(Algorithm)
    loss_per_symbol: float


@dataclass(frozen=True, kw_only=True)
class Infeasible:
    """No showing keeps the bound, not even the root everywhere, and why."""

    reason: str


def sanitize(
    problem: Problem, bound: Bound, *, algorithm: Algorithm = Algorithm.BEST, scope: Scope = Scope.GLOBAL
) -> Sanitized | Infeasible:
    """Find a showing that keeps the bound at a small loss."""
    judge = Judge(problem, bound)
    if judge.keeps(problem.everything_shown):
        found = [(algorithm, problem.everything_shown)]
    elif not judge.keeps(problem.nothing_shown):
        return Infeasible(reason=bound.reason(problem))
    else:
        found = _found(judge, algorithm)
    shown = [(name, showing, nodes_shown(problem, showing, scope=scope)) for name, showing in found]
    name, showing, nodes = min(shown, key=lambda parts: place_loss(problem, parts[2]))
    return Sanitized(nodes=nodes, showing=showing, algorithm=name, loss_per_symbol=place_loss(problem, nodes))


def _found(judge: Judge, algorithm: Algorithm) -> list[tuple[Algorithm, Integers]]:
    """What the searches find where something must be hidden and the root everywhere would do."""
    if algorithm is Algorithm.BEST:
        searched = [(name, _SEARCHES[name](judge)) for name in _ALL]
        return [
            (name, refined(judge, showing) if name in _BY_SUBTREES else showing)
            for name, showing in searched
            if showing is not None
        ]
    showing = _SEARCHES[algorithm](judge)
    return [(algorithm, judge.problem.nothing_shown if showing is None else showing)]
