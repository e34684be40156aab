"""Baselines: what simpler methods give for the same guarantee, to compare with.

`RandomNetwork` and `LaplaceNetwork` are those of Chen's thesis (section 7.5), the first with a *noisy* number of edges, because
the exact one is not private. `TopFilter` is TmF (Nguyen, Imine and Rusinowitch, 2015), `DegreeGenerator` is DGG (Qin et al., CCS
2017) with a trusted curator and the sensitivity that degrees have: an edge changes two of them, not one.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import ClassVar

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.graphs import Graph, edge_keys
from tacita.networks.dense_regions.exploration import Regions
from tacita.networks.guarantee import ProtectsEdges, correlation_facts, correlation_rules
from tacita.networks.published import PublishedNetwork
from tacita.networks.records import NetworkRecords
from tacita.networks.synthesis.classes import Chance, Classes, whole_stubs
from tacita.networks.synthesis.degrees import made_graphic
from tacita.networks.synthesis.wiring import dealt_stubs, wired
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Sequential, Step
from tacita.privacy.limits import refuse_flood
from tacita.privacy.noise import passing_probability
from tacita.privacy.publishing import Made, Progress, require_pure
from tacita.privacy.questions import Cells, every_count, noisy_cells
from tacita.public.inputs import UNKNOWN, PublicInputs

__all__ = ["DegreeGenerator", "LaplaceNetwork", "RandomNetwork", "TopFilter"]


FOR_NUMBER = Fraction(1, 10)
"""Which share of epsilon TmF spends on the number of edges."""

DENSEST_BLOCK = 0.95
"""How dense the densest affinity block of DGG is; the formula is that of Seshadhri, Kolda and Pinar, 2012."""


@dataclass(frozen=True, kw_only=True)
class _Baseline(ProtectsEdges):
    """What the baselines share: each decides on the keys of edges, in one step."""

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Tell where the budget goes. Spends nothing."""
        plan, facts = self.plan(budget, public), correlation_facts(budget, self.correlated_edges, public)
        return Explanation(title=f"{self.name}, {budget}", plan=plan, facts=facts)

    @abstractmethod
    def _keys(self, records: NetworkRecords, account: Account) -> Integers:
        """The edges of the release."""

    def _made(
        self, records: NetworkRecords, account: Account, _budget: Budget, progress: Progress | None
    ) -> Made[PublishedNetwork]:
        """Ask, and build the data from the answers."""
        keys = self._keys(records, account)
        if progress is not None:
            progress(1, 1)
        graph = Graph(len(records.universe), keys)
        return Made(data=records.published(graph), rules=correlation_rules(self.correlated_edges))


@dataclass(frozen=True, kw_only=True)
class RandomNetwork(_Baseline):
    """Publish a random network with a noisy number of edges, which keeps nothing else.

    Needs: an undirected simple graph over public vertices; `correlated_edges` fixed without a look at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing up to `correlated_edges` edges, vertices being public.
    Budget: all of it for the number of edges.
    Not covered: correlation among more edges than that; a vertex with all of its edges; how long a run takes.
    Reference: Chen, PhD thesis, Concordia University 2012, section 7.5, which is given the exact number.

    >>> from tacita.privacy.budget import PureDP
    >>> print(RandomNetwork().plan(PureDP("1")).name)
    number of edges
    """

    name: ClassVar[str] = "random"

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        epsilon = require_pure(budget, public, method="random proves").epsilon
        return Step(name="number of edges", epsilon=epsilon, note="one edge changes it by 1")

    def _keys(self, records: NetworkRecords, account: Account) -> Integers:
        truth = np.array([records.counts().edges()])
        number = every_count(account, "number of edges", truth, sensitivity=self.correlated_edges)
        return _random_cells(np.zeros(0, dtype=np.int64), int(number[0]), len(records.universe), Chance(number))


@dataclass(frozen=True, kw_only=True)
class LaplaceNetwork(_Baseline):
    """Publish the pairs of vertices whose cell of the adjacency matrix is at least 1 after noise: nearly everything is noise.

    Needs: an undirected simple graph over public vertices, a few thousand at the most.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing up to `correlated_edges` edges, vertices being public.
    Budget: all of it at once; cells are disjoint.
    Not covered: correlation among more edges than that; a vertex with all of its edges; how long a run takes.
    Reference: Chen, PhD thesis, Concordia University 2012, section 7.5; cells without an edge are sampled, not walked.

    >>> from tacita.privacy.budget import PureDP
    >>> print(LaplaceNetwork().plan(PureDP("1")).name)
    cells
    """

    name: ClassVar[str] = "laplace"

    has_noisy_pairs: ClassVar[bool] = True

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        epsilon = require_pure(budget, public, method="laplace proves").epsilon
        if public.size is not None:
            cells = public.size * (public.size - 1) // 2
            refuse_flood(2 * cells * passing_probability(epsilon / self.correlated_edges, 1))
        return Step(name="cells", epsilon=epsilon, note="each pair of vertices is a cell, disjoint")

    def _keys(self, records: NetworkRecords, account: Account) -> Integers:
        kept = _noisy_matrix(account, records, threshold=1, group=self.correlated_edges)
        return _keys_of(kept.keys, len(records.universe))


@dataclass(frozen=True, kw_only=True)
class TopFilter(_Baseline):
    """Publish the cells of the adjacency matrix that are largest after noise, as many as there are edges (noisily).

    Needs: an undirected simple graph over public vertices; `correlated_edges` fixed without a look at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing up to `correlated_edges` edges, vertices being public.
    Budget: sequential: a tenth for the number of edges, the rest for the cells, which are disjoint.
    Not covered: correlation among more edges than that; a vertex with all of its edges; how long a run takes.
    Reference: Nguyen, Imine and Rusinowitch, Differentially private publication of social graphs at linear cost, ASONAM 2015;
    departs from it in that noise is discrete, so equal cells are told apart by chance.

    >>> from tacita.privacy.budget import PureDP
    >>> [step.name for step in TopFilter().plan(PureDP("1")).steps()]
    ['number of edges', 'cells']
    """

    name: ClassVar[str] = "tmf"

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        epsilon = require_pure(budget, public, method="tmf proves").epsilon
        number = Step(name="number of edges", epsilon=epsilon * FOR_NUMBER, note="one edge changes it by 1")
        cells = Step(name="cells", epsilon=epsilon * (1 - FOR_NUMBER), note="each pair of vertices is a cell, disjoint")
        return Sequential(name="tmf", parts=(number, cells))

    def _keys(self, records: NetworkRecords, account: Account) -> Integers:
        vertices = len(records.universe)
        pairs = vertices * (vertices - 1) // 2
        truth = np.array([records.counts().edges()])
        number = every_count(account, "number of edges", truth, sensitivity=self.correlated_edges)
        wanted = int(np.clip(number[0], 0, pairs))
        rate = account.planned("cells").epsilon / self.correlated_edges
        threshold = 1
        while pairs * passing_probability(rate, threshold + 1) > 1.1 * wanted + 10:
            threshold += 1
        kept = _noisy_matrix(account, records, threshold=threshold, group=self.correlated_edges)
        chance = Chance(number, kept.keys)
        best = np.lexsort((chance.words(kept.keys.size), -kept.values))[:wanted]
        return _random_cells(np.sort(_keys_of(kept.keys[best], vertices)), wanted, vertices, chance)


@dataclass(frozen=True, kw_only=True)
class DegreeGenerator(_Baseline):
    """Publish a network by noisy degrees and affinity blocks: vertices of about one degree are densely joined.

    Needs: an undirected simple graph over public vertices; `correlated_edges` fixed without a look at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing up to `correlated_edges` edges, vertices being public.
    Budget: all of it for the degrees; an edge changes them by 2 in sum.
    Not covered: correlation among more edges than that; a vertex with all of its edges; how long a run takes.
    Reference: DGG of Qin et al., Generating synthetic decentralized social graphs with local differential privacy, CCS 2017, with
    the block model of Seshadhri, Kolda and Pinar, 2012; departs from it in the sensitivity, which is 2.

    >>> from tacita.privacy.budget import PureDP
    >>> print(DegreeGenerator().plan(PureDP("1")).name)
    degrees
    """

    name: ClassVar[str] = "dgg"

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        epsilon = require_pure(budget, public, method="dgg proves").epsilon
        return Step(name="degrees", epsilon=epsilon, note="one edge changes the degrees by 2 in sum")

    def _keys(self, records: NetworkRecords, account: Account) -> Integers:
        noisy = every_count(account, "degrees", records.counts().degrees(), sensitivity=2 * self.correlated_edges)
        return _blocks_and_rest(noisy, Chance(noisy))


def _noisy_matrix(account: Account, records: NetworkRecords, *, threshold: int, group: int) -> Cells:
    """All cells of the upper triangle, by their rank, that reach the threshold after noise."""
    vertices, keys = len(records.universe), records.counts().cells()
    whole = Regions.whole(vertices)
    ranks = whole.rank(np.zeros(keys.size, dtype=np.int64), keys // vertices, keys % vertices)
    return noisy_cells(
        account,
        "cells",
        keys=ranks,
        counts=np.ones(ranks.size, dtype=np.int64),
        domain=vertices * (vertices - 1) // 2,
        threshold=threshold,
        sensitivity=group,
    )


def _keys_of(ranks: Integers, vertices: int) -> Integers:
    rows, columns = Regions.whole(vertices).unrank(np.zeros(ranks.size, dtype=np.int64), ranks)
    return rows * vertices + columns


def _random_cells(keys: Integers, wanted: int, vertices: int, chance: Chance) -> Integers:
    """The keys, filled up to the wanted number with random pairs of vertices."""
    wanted = int(np.clip(wanted, 0, vertices * (vertices - 1) // 2))
    refuse_flood(2 * wanted)
    while keys.size < wanted:
        missing = wanted - keys.size
        drawn = [chance.below(np.full(int(1.2 * missing) + 16, vertices)) for _ in range(2)]
        new = np.setdiff1d(edge_keys(drawn[0], drawn[1], vertices=vertices), keys)
        keys = np.union1d(keys, new[np.sort(chance.order(new.size)[:missing])])
    return keys


def _blocks_and_rest(noisy: Integers, chance: Chance) -> Integers:
    """Blocks of d + 1 vertices of degree about d, joined at random, and all other stubs wired at random."""
    vertices = noisy.size
    degrees = made_graphic(np.clip(noisy, 0, max(vertices - 1, 0)))
    if not degrees.sum():
        return np.zeros(0, dtype=np.int64)
    rising = np.argsort(degrees, kind="stable")
    rising = rising[degrees[rising] > 1]
    largest = log(int(degrees.max()) + 1)
    keys, start = [np.zeros(0, dtype=np.int64)], 0
    while start < rising.size:
        degree = int(degrees[rising[start]])
        members = rising[start : start + degree + 1]
        density = DENSEST_BLOCK * (1 - (log(degree + 1) / largest) ** 2)
        first, second = np.triu_indices(members.size, 1)
        chosen = chance.fractions(first.size) < density
        keys.append(edge_keys(members[first[chosen]], members[second[chosen]], vertices=vertices))
        start += degree + 1
    inside = np.sort(np.concatenate(keys))
    rest = np.maximum(degrees - Graph(vertices, inside).degrees, 0)
    rest = made_graphic(rest)
    if not rest.sum():
        return inside
    one = Classes(of=np.zeros(vertices, dtype=np.int64), stubs=np.array([[float(rest.sum())]]))
    outside = wired(dealt_stubs(rest, one.of, whole_stubs(one, rest, chance), chance), near=0.0, chance=chance)
    return np.union1d(inside, outside.keys)
