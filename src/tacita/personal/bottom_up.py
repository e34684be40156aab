"""Bottom-up merging of sensitive patterns (Bonomi, Fan and Jin, WSDM 2016, Algorithms 2 and 3).

It starts with everything shown. While the bound is broken, the two patterns of one length whose least common generalized
pattern costs least are merged: from then on both are shown as one string. Where each length has one string only, a subtree
above a sensitive symbol is collapsed instead, the one that costs least for what it hides.

Where it departs from the paper: only patterns of one length are merged, since others have no common pattern; the last branch
has no `else` in print and is needed here; when a symbol that stands for others is generalized, so are all that it stands for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from tacita.personal.bounds import Judge
from tacita.personal.problem import Problem, Showing, Tree

__all__ = ["bottom_up", "least_common"]


def bottom_up(judge: Judge) -> Showing | None:
    """Merge patterns, then collapse subtrees, until the bound is kept; nothing if the root everywhere does not keep it."""
    problem, showing = judge.problem, judge.problem.everything_shown
    while not judge.keeps(showing):
        merged = _cheapest_merge(problem, showing)
        if merged is None:
            merged = _best_collapse(judge, showing)
        if merged is None:
            return None
        showing = merged
    return showing


def least_common(tree: Tree, one: Sequence[int], other: Sequence[int]) -> dict[int, int]:
    """The node that each node of two strings goes to, so that both become their least common generalized pattern.

    Nodes that are at one position of the two strings become one, and so does everything that hangs together by this.
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


def _cheapest_merge(problem: Problem, showing: Showing) -> Showing | None:
    """Merge the two strings of one length that cost least together; nothing if each length has one string."""
    best: tuple[float, Showing] | None = None
    for patterns in problem.by_length.values():
        strings = sorted({tuple(showing[list(pattern)].tolist()) for pattern in patterns})
        for one, other in combinations(strings, 2):
            merged = _applied(showing, least_common(problem.tree, one, other))
            loss = problem.loss(merged)
            if best is None or loss < best[0]:
                best = loss, merged
    return None if best is None else best[1]


def _applied(showing: Showing, moves: Mapping[int, int]) -> Showing:
    """Whatever is shown as one node is shown as another."""
    merged = showing.copy()
    for node, target in moves.items():
        if node != target:
            merged[showing == node] = target
    return merged


def _best_collapse(judge: Judge, showing: Showing) -> Showing | None:
    """Show everything below a node above a sensitive symbol as this node; the one with the least loss for what it hides."""
    problem, tree = judge.problem, judge.problem.tree
    above = {node for symbol in problem.sensitive for node in tree.above(int(showing[symbol]))[1:]}
    leak, loss = judge.leak(showing), problem.loss(showing)
    best: tuple[float, Showing] | None = None
    for node in sorted(above):
        members = tree.members[node]
        lower = members[tree.depths[showing[members]] > tree.depths[node]]
        collapsed = showing.copy()
        collapsed[lower] = node
        price = (problem.loss(collapsed) - loss) / max(leak - judge.leak(collapsed), float(np.finfo(float).tiny))
        if best is None or price < best[0]:
            best = price, collapsed
    return None if best is None else best[1]
