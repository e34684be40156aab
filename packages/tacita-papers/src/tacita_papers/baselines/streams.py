"""Baselines for streams: the absorption of unused shares (BA) and the binary tree over time, as methods.

What runs is in `absorbing` and `branching`; the verbs are those of every method of streams.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from tacita.errors import ParameterError
from tacita.privacy.budget import Budget
from tacita.public.parameters import Chosen, whole_number
from tacita.streams.methods import check_windows, protection_of
from tacita.streams.protection import Presence, Protection
from tacita.streams.publishing import explained, planned, published, relation_of
from tacita.streams.questions import Wall
from tacita_papers.baselines.absorbing import Absorbing
from tacita_papers.baselines.branching import Branching

__all__ = ["BinaryTree", "BudgetAbsorption"]


@dataclass(frozen=True, kw_only=True)
class BudgetAbsorption:
    """Publish with all shares that were not used since the last publication, which then blocks as many timestamps behind it.

    Needs: public cells and a public time grid; `contexts`, how many successive timestamps of a person are protected together;
    presence must be private (changed or added), since shares are those of timestamps.
    Guarantees: epsilon-differential privacy of every window of that many timestamps, for all that is ever released.
    Neighbours: all that one person does in one window of timestamps (presence changed, or added and removed).
    Budget: half of epsilon -> distances, in equal parts; half -> publications, in whole shares.
    Not covered: events of one person in two windows together, which cost twice epsilon; how long a run takes.
    Reference: Kellaris, Papadopoulos, Xiao and Papadias, VLDB 2014, Algorithm 2 (BA); with corrected noise of the distance.

    >>> from tacita.privacy.budget import PureDP
    >>> BudgetAbsorption(contexts=4).plan(PureDP("1")).epsilon
    Fraction(1, 1)
    """

    name: ClassVar[str] = "absorption"

    contexts: int | str
    presence: Chosen[Presence] = Chosen(Presence, Presence.CHANGED)

    def __post_init__(self) -> None:
        """Check the public parameters."""
        check_windows(self)
        if self.presence is Presence.PUBLIC:
            message = "budget absorption counts timestamps, so presence must be changed or added, got public"
            raise ParameterError(message)

    def shares(self) -> Mapping[str, Fraction]:
        """The share of epsilon of each kind of question."""
        return {"distances": Fraction(1, 2), "counts": Fraction(1, 2)}

    def start(self, budget: Budget, *, cells: int, wall: Wall, protection: Protection | None = None) -> Absorbing:  # noqa: ARG002 - any cells
        """Begin with nothing published."""
        return Absorbing(protection=protection_of(self, protection), epsilon=budget.epsilon, wall=wall)

    plan, explain, relation, publish = planned, explained, relation_of, published


@dataclass(frozen=True, kw_only=True)
class BinaryTree:
    """Publish running totals by a binary tree over time: each timestamp is the step from one total to the next.

    Needs: public cells and a public time grid; `contexts`, how many successive contexts of a person are protected together;
    `span`, a power of two: how many timestamps a tree covers before the next begins.
    Guarantees: epsilon-differential privacy of every window of that many contexts, for all that is ever released.
    Neighbours: statuses of one person changed in one window (presence public), or all that one person does in one window of
    timestamps (presence changed, or added and removed).
    Budget: epsilon / levels -> each level of the tree, in equal parts for the contexts of a window.
    Not covered: events of one person in two windows together, which cost twice epsilon; with presence public, when a person is
    there; how long a run takes.
    Reference: Chan, Shi and Song 2011, and Dwork, Naor, Pitassi and Rothblum 2010, who protect single events (contexts "event");
    departs from them in serving windows of several contexts, and in beginning a new tree after `span` timestamps.

    >>> BinaryTree(contexts="event", span=4).shares()
    {'level 0': Fraction(1, 3), 'level 1': Fraction(1, 3), 'level 2': Fraction(1, 3)}
    """

    name: ClassVar[str] = "tree"

    contexts: int | str
    presence: Chosen[Presence] = Chosen(Presence, Presence.PUBLIC)
    span: int = 1024

    def __post_init__(self) -> None:
        """Check the public parameters."""
        check_windows(self)
        whole_number(self.span, name="span", least=2, most=2**20)
        if self.span & (self.span - 1):
            message = f"span must be a power of two, such as 256 or 1,024, got {self.span}"
            raise ParameterError(message)

    def shares(self) -> Mapping[str, Fraction]:
        """The same share for every level, from single timestamps to the whole tree."""
        levels = self.span.bit_length()
        return {f"level {level}": Fraction(1, levels) for level in range(levels)}

    def start(self, budget: Budget, *, cells: int, wall: Wall, protection: Protection | None = None) -> Branching:
        """Begin with nothing published."""
        protection = protection_of(self, protection)
        return Branching(protection=protection, epsilon=budget.epsilon, wall=wall, cells=cells, span=self.span)

    plan, explain, relation, publish = planned, explained, relation_of, published
