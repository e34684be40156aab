"""Local generalization: of a symbol, only the places that need it are generalized (section 3.2 of the paper, not solved there).

Take a showing that keeps the bound. A place that takes part in no tuple that shows a sensitive pattern's string can be shown as
it is, and this changes no belief and no mutual information at all:

- No tuple with this place holds a sensitive pattern, or it would show its string. So nothing that is hidden is shown.
- No string of a sensitive pattern holds the symbol itself, which is generalized; so no tuple joins a string, and none leaves it.

Which places these are can be seen from the global release, so their true symbols are all that is added. What it cannot promise
is what the global one cannot either: that nobody infers anything from the choice of the showing, which depends on the sequence.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.personal.problem import Problem

__all__ = ["Scope", "nodes_shown", "place_loss"]


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
