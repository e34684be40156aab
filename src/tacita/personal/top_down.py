"""Top-down refinement (Bonomi, Fan and Jin, WSDM 2016, Algorithm 1), lazy: only the step that saves most is tested.

It starts from a showing that keeps the bound, usually the root everywhere, and takes steps: all symbols below a child of a
node, as far as they are shown as this node, are shown as the child. A step saves what it saves whatever was done before, so
testing the best one and dropping it for good when it fails gives what testing all of them in each round gives, since measures
never fall under refinement.

Where it departs from the paper: the start is tested, since no release may break its bound; a symbol that is shown as itself is
done with; and three starts are known, because each wins on some data:

- `top_down`: from the root everywhere.
- `top_down_sensitive`: only sensitive symbols start at the root, if this keeps the bound; all others are shown.
- `top_down_leaves`: a step may also show a single symbol as itself, straight from wherever it is. The symbols that stay behind
  are its cover.

`refined` takes any showing that keeps the bound and goes on from it, with all steps.
"""

from __future__ import annotations

import heapq

import numpy as np

from tacita.arrays import Integers
from tacita.personal.bounds import Judge
from tacita.personal.problem import Problem

__all__ = ["refined", "top_down", "top_down_leaves", "top_down_sensitive"]


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
