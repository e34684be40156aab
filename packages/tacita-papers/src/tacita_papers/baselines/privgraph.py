"""PrivGraph (Yuan, Zhang, Du, Chen, Cheng and Sun, USENIX Security 2023): communities first, then edges inside and between them.

A third of epsilon each goes to

1. communities: vertices are divided at random into groups of 20, noise is added to the numbers of edges between and inside
   groups, and the Louvain method joins the groups of that weighted graph;
2. their adjustment: one vertex after the other chooses a community by its number of edges to it (exponential mechanism);
3. information: noisy degrees inside each community and noisy numbers of edges between communities, of which an edge enters one.

A graph is made of these: inside a community each pair is an edge with a probability d d' / D, between two communities random
pairs are. Negative noisy numbers are made zero and their sum kept (`norm_sub` of the paper).

Departs from the paper in that noise is discrete, weights are exact, and the budget of the second step is what is proved for a
pass in which both ends see an edge: exp(epsilon / 6) for each edge, which is what the paper's weights come to.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.graphs import Graph, edge_keys
from tacita.networks.guarantee import ProtectsEdges, correlation_facts, correlation_rules
from tacita.networks.published import PublishedNetwork
from tacita.networks.records import NetworkRecords
from tacita.networks.synthesis.classes import Chance
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Parallel, Plan, Sequential, Step
from tacita.privacy.laws import Change, Law
from tacita.privacy.limits import refuse_flood
from tacita.privacy.publishing import Made, Progress, require_pure
from tacita.privacy.questions import PlacementQuestion, every_count
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.utility.networks.structure import weighted_communities

__all__ = ["PrivGraph"]

GROUP_SIZE = 20
"""How many vertices are in one of the random groups; the paper's N."""

_PAIRS = 2**22


@dataclass(frozen=True, kw_only=True)
class PrivGraph(ProtectsEdges):
    """Publish a network by noisy communities, degrees inside them and numbers of edges between them.

    Needs: an undirected simple graph over public vertices, some ten thousand at the most.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing up to `correlated_edges` edges, vertices being public.
    Budget: sequential: a third each for communities, their adjustment, and numbers inside and between them (in parallel).
    Not covered: correlation among more edges than that; a vertex with all of its edges; how long a run takes.
    Reference: see the module.

    >>> from tacita.privacy.budget import PureDP
    >>> [step.name for step in PrivGraph().plan(PureDP("1")).steps()]
    ['edges between groups', 'communities', 'edges between communities', 'degrees inside communities']
    """

    name: ClassVar[str] = "privgraph"

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        third = require_pure(budget, public, method="privgraph proves").epsilon * Fraction(1, 3)
        return Sequential(
            name="privgraph",
            parts=(
                Step(name="edges between groups", epsilon=third, note="groups at random; one edge changes the counts by 1"),
                Step(name="communities", epsilon=third, note="one pass from there; both ends of an edge see it"),
                Parallel(
                    name="an edge is inside a community or between two",
                    parts=(
                        Step(name="edges between communities", epsilon=third, note="one edge changes the counts by 1"),
                        Step(name="degrees inside communities", epsilon=third, note="one edge changes two degrees by 1"),
                    ),
                ),
            ),
        )

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far a group of correlated edges changes what a step asks; None for a step that there is not."""
        least = {"edges between groups": 1, "communities": 2, "edges between communities": 1, "degrees inside communities": 2}
        law = Law.PLACEMENT if step == "communities" else Law.COUNTS
        return Change(law=law, least=least[step] * self.correlated_edges) if step in least else None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Tell where the budget goes. Spends nothing."""
        plan, facts = self.plan(budget, public), correlation_facts(budget, self.correlated_edges, public)
        return Explanation(title=f"{self.name}, {budget}", plan=plan, facts=facts)

    def _made(
        self, records: NetworkRecords, account: Account, _budget: Budget, progress: Progress | None
    ) -> Made[PublishedNetwork]:
        """Ask, and build the data from the answers."""
        vertices, group, counts = len(records.universe), self.correlated_edges, records.counts()
        chance = Chance(np.array([vertices]))
        groups = np.empty(vertices, dtype=np.int64)
        groups[chance.order(vertices)] = np.arange(vertices) // GROUP_SIZE
        start = self._joined(groups, every_count_between(account, "edges between groups", groups, records, group=group))
        question = PlacementQuestion(
            step="communities",
            epsilon=account.planned("communities").epsilon,
            order=np.arange(vertices),
            degrees=np.zeros(vertices, dtype=np.int64),
            blocks=int(start.max(initial=0)) + 1,
            group=group,
            start=start,
        )
        of = account.ask(question, counts.cells())
        between = every_count_between(account, "edges between communities", of, records, group=group, inside=False)
        degrees = self._degrees_inside(of, records)
        noisy = every_count(account, "degrees inside communities", degrees, sensitivity=2 * group)
        if progress is not None:
            progress(1, 1)
        graph = Graph(vertices, _made_of(of, between, noisy, Chance(noisy, between.ravel(), of)))
        return Made(data=records.published(graph), rules=correlation_rules(group))

    def _joined(self, groups: Integers, noisy: Integers) -> Integers:
        """The community of each vertex, by the noisy numbers of edges between groups (a square table)."""
        rows, columns = np.triu_indices(len(noisy), 1)
        weights = without_negatives(noisy[rows, columns]).astype(np.float64)
        loops = without_negatives(np.diag(noisy)).astype(np.float64)
        there = np.flatnonzero(weights)
        joined = weighted_communities(rows[there], columns[there], weights[there], loops)
        return np.asarray(joined[groups], dtype=np.int64)

    def _degrees_inside(self, of: Integers, records: NetworkRecords) -> Integers:
        keys, vertices = records.counts().cells(), len(records.universe)
        first, second = keys // max(vertices, 1), keys % max(vertices, 1)
        inside = of[first] == of[second]
        ends = np.concatenate([first[inside], second[inside]])
        return np.bincount(ends, minlength=vertices).astype(np.int64)


def every_count_between(
    account: Account, step: str, of: Integers, records: NetworkRecords, *, group: int, inside: bool = True
) -> Integers:
    """A square table of noisy numbers of edges between classes, its upper triangle filled, with the diagonal or without."""
    number = int(of.max(initial=0)) + 1
    table = records.counts().between(of, classes=number).reshape(number, number)
    cells = np.triu_indices(number, 0 if inside else 1)
    noisy = np.zeros((number, number), dtype=np.int64)
    noisy[cells] = every_count(account, step, np.ascontiguousarray(table[cells]), sensitivity=group)
    return noisy


def without_negatives(noisy: Integers) -> Integers:
    """Numbers of at least 0 whose sum is nearest to that of the noisy ones, all lowered by the same whole number.

    >>> without_negatives(np.array([5, -2, 3, 0])).tolist()
    [4, 0, 2, 0]
    """
    total = int(noisy.sum())
    low, high = 0, max(int(-noisy.min(initial=0)), int(noisy.max(initial=0)), 0)
    while low < high:  # the sum falls as more is taken off
        middle = (low + high) // 2
        low, high = (low, middle) if int(np.maximum(noisy - middle, 0).sum()) <= max(total, 0) else (middle + 1, high)
    sums = [(abs(int(np.maximum(noisy - off, 0).sum()) - total), off) for off in (max(low - 1, 0), low)]
    return np.asarray(np.maximum(noisy - min(sums)[1], 0), dtype=np.int64)


def _made_of(of: Integers, between: Integers, degrees: Integers, chance: Chance) -> Integers:
    """The keys of a graph with about these degrees inside communities, and these numbers of edges between them."""
    vertices = of.size
    members = [np.flatnonzero(of == each) for each in range(len(between))]
    keys = [_inside(own, without_negatives(degrees[own]), vertices, chance) for own in members if own.size > 1]
    rows, columns = np.triu_indices(len(between), 1)
    numbers = without_negatives(between[rows, columns]) if rows.size else np.zeros(0, dtype=np.int64)
    refuse_flood(2 * int(numbers.sum()))
    for row, column, number in zip(rows.tolist(), columns.tolist(), numbers.tolist(), strict=True):
        first, second = (side[chance.below(np.full(number, side.size))] for side in (members[row], members[column]))
        keys.append(edge_keys(first, second, vertices=vertices))
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *keys]))


def _inside(own: Integers, degrees: Integers, vertices: int, chance: Chance) -> Integers:
    """Each pair is an edge with a probability d d' / D."""
    wanted: Reals = np.minimum(degrees, own.size - 1).astype(np.float64)
    total, found = max(float(wanted.sum()), 1.0), [np.zeros(0, dtype=np.int64)]
    at_once = max(1, _PAIRS // own.size)
    for begin in range(0, own.size, at_once):
        rows = np.arange(begin, min(begin + at_once, own.size))
        joined = chance.fractions(rows.size * own.size).reshape(rows.size, -1) < np.outer(wanted[rows], wanted) / total
        first, second = np.nonzero(joined & (np.arange(own.size) > rows[:, np.newaxis]))
        found.append(own[rows[first]] * vertices + own[second])
    return np.concatenate(found)
