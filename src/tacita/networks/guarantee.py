"""(epsilon, k)-differential privacy: edges that are correlated are protected together.

Definition 7.1 of Chen's thesis asks that one edge changes the probability of any release by a factor of at most exp(epsilon /
k). By group privacy, any two networks that differ in at most k edges are then within exp(epsilon), so that an adversary who
knows that up to k edges come and go together (the contacts of a family, the members of a team) learns no more than exp(epsilon)
allows. It is pure differential privacy for the relation `EdgeGroup(k)`: every sensitivity is k times what it is for one edge.

- k = 1 is edge differential privacy; k = n (n - 1) / 2, all possible edges, is free-lunch privacy, which allows no useful
release.
- What holds for k holds for every smaller number (Theorem 7.2).
- Several releases add up (Theorem 7.13): the sum of their epsilons, for the smallest of their k.
- It does not protect against correlation among more than k edges, nor does it hide a vertex with all of its edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import exp
from typing import ClassVar

from tacita.errors import NeighboursError
from tacita.networks.published import PublishedNetwork
from tacita.networks.records import NetworkRecords
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, decimal_text
from tacita.privacy.guarantee import EdgeGroup, Neighbours, require
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.noise import require_rate
from tacita.privacy.publishing import PrivateMethod, charged
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import whole_number

__all__ = ["ProtectsEdges", "correlation_facts", "correlation_rules"]


@dataclass(frozen=True, kw_only=True)
class ProtectsEdges(PrivateMethod[NetworkRecords, PublishedNetwork]):
    """What every method for networks has: how many edges that come and go together are protected as one."""

    takes: ClassVar[type] = NetworkRecords

    correlated_edges: int = 1

    has_noisy_pairs: ClassVar[bool] = False
    """Whether every pair of vertices has noise of its own, so that edges of noise grow with the number of pairs."""

    def __post_init__(self) -> None:
        """Check the public parameter."""
        whole_number(self.correlated_edges, name="correlated_edges", least=1)

    @property
    def units_together(self) -> int:
        """How many edges a plan is the price of."""
        return self.correlated_edges

    @property
    def _proved(self) -> Neighbours:
        return EdgeGroup(edges=self.correlated_edges)

    @contextmanager
    def _charged(
        self, records: NetworkRecords, budget: Budget, *, ledger: OpensAccounts | None, neighbours: Neighbours | None
    ) -> Iterator[Account]:
        """Charge the whole cost of a network's publication and open its account, if noise can be drawn for all of its steps."""
        _require_edges(neighbours, correlated_edges=self.correlated_edges, mechanism=self.name)
        plan = self.plan(budget, records.public)
        for step in plan.steps():  # an edge has two ends
            require_rate(step.epsilon / (2 * self.correlated_edges))
        with charged(records, self.name, plan, ledger=ledger, neighbours=None, units_together=self.correlated_edges) as account:
            yield account


def _require_edges(asked: Neighbours | None, *, correlated_edges: int, mechanism: str) -> None:
    """Refuse a relation that is not proved: other than edges, or more of them together than the noise was made for."""
    if asked is None:
        return
    require(asked, proved=(EdgeGroup,), mechanism=mechanism)
    if isinstance(asked, EdgeGroup) and asked.edges > correlated_edges:
        message = (
            f"{mechanism} is set to protect groups of {correlated_edges:,} edges, not of {asked.edges:,}; "
            f"set correlated_edges to {asked.edges} at least"
        )
        raise NeighboursError(message)


def correlation_rules(correlated_edges: int) -> tuple[str, ...]:
    """What a release says about edges that come and go together, if there are several."""
    if correlated_edges == 1:
        return ()
    return (f"up to {correlated_edges:,} edges that come and go together are protected as one",)


def correlation_facts(budget: Budget, correlated_edges: int, public: PublicInputs) -> tuple[str, ...]:
    """What the number of correlated edges means, in plain words; for `explain`."""
    epsilon = budget.epsilon
    factor = exp(min(float(epsilon), 700))
    facts = [
        f"someone who knows every edge but a group of {correlated_edges:,} can raise the odds of any guess about it by a factor "
        f"of {factor:.3g} at the most"
        if correlated_edges > 1
        else f"someone who knows every edge but one can raise the odds of a guess about it by a factor of at most {factor:.3g}"
    ]
    if correlated_edges > 1:
        facts.append(
            f"one edge alone is protected at epsilon {decimal_text(epsilon / correlated_edges)}, "
            "and every smaller group at its share of the whole"
        )
    size = public.size
    if size is not None and correlated_edges >= size * (size - 1) // 2 > 0:
        facts.append("all possible edges are protected together (free-lunch privacy): nothing useful can be released so")
    return tuple(facts)
