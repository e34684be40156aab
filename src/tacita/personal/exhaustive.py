"""The optimum by trying everything, for up to nine symbols: what the searches are compared with.

Two spaces. *Subtrees* is what `top_down` walks through: below each node, each child's symbols are shown as the node, or the
child's subtree is shown in one of its own ways. *Paths* lets every symbol choose any node above it, which is everything there
is.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import product

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.personal.bounds import Judge
from tacita.personal.problem import Problem

__all__ = ["Space", "optimum"]

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
