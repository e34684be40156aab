"""Bottom-up merging of sensitive patterns (Bonomi, Fan and Jin, WSDM 2016, Algorithms 2 and 3).

It starts with everything shown. While the bound is broken, it takes one of two steps: *merge* two patterns of one length, so that
both are shown as their least common generalized pattern; or *collapse* a subtree above a sensitive symbol, so that everything
below a node is shown as this node. When the bound is kept, whatever was generalized in vain on the way is refined again.

Where it departs from the paper:

- The step is the one with the least loss for what it hides, merge or collapse. The paper merges the closest pair, whatever this
  hides, and collapses only when one pattern is left; that cost half as much again as this does on small random problems.
- What was found is refined, by the steps of `top_down_leaves`. A late merge often makes an early one needless.
- Only patterns of one length are merged, since others have no common pattern.
- When a symbol that stands for others is generalized, so are all that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from tacita.arrays import Integers
from tacita.personal.bounds import Judge
from tacita.personal.problem import Problem, Tree
from tacita.personal.top_down import refined

__all__ = ["bottom_up", "least_common"]


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
