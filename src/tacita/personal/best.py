"""All searches by name, and the best of them, which is the default.

Top-down from three starts and bottom-up search different parts of what there is, and each wins on some data. So *best* runs
all, refines what each found as far as the bound lets it, and takes the least loss. Top-down by leaves and bottom-up have tried
every step already, and a step that failed once fails for good, so only the other two are refined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from tacita.arrays import Integers
from tacita.personal.bottom_up import bottom_up
from tacita.personal.bounds import Bound, Judge
from tacita.personal.exhaustive import optimum
from tacita.personal.local import Scope, nodes_shown, place_loss
from tacita.personal.problem import Problem
from tacita.personal.top_down import refined, top_down, top_down_leaves, top_down_sensitive

__all__ = ["Algorithm", "Infeasible", "Sanitized", "sanitize"]


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
    algorithm: Algorithm
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
