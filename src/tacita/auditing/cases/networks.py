"""Audits of networks: all graphs over a few vertices, and how mechanisms are reduced to a size that can be audited."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.arrays.ragged import Ragged
from tacita.auditing.cases.case import SPAN, Pair, Rows, Variant
from tacita.networks import DegreeNetwork, DenseRegions, NetworkRecords, ShapeNetwork
from tacita.networks.blocks import VertexBlocks
from tacita.networks.published import edge_lists
from tacita.privacy.budget import Budget, PureDP
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator

__all__ = ["Degrees", "NetworkCase", "NetworkSubject", "Regions", "Shapes"]


@dataclass(frozen=True, kw_only=True)
class NetworkCase:
    """A mechanism for networks, on graphs over a few vertices; a row is an edge, two letters in order.

    Pairs that should be tight are a full graph without one edge, and an empty one with one. `small_pairs` are the pairs whose
    outputs are enumerated.
    """

    name: str
    mechanism: Any
    budget: Budget
    labels: str = "ABCDE"
    small_pairs: tuple[Pair, ...] = ()
    span: int = SPAN
    crowd: int = 1
    blocks: int = 1
    """In how many public blocks the vertices are."""
    sides: bool = False
    """Whether the first and the second half of the vertices are two public sides."""

    @cached_property
    def halves(self) -> VertexBlocks:
        """The two sides."""
        return VertexBlocks.ranges(len(self.labels), blocks=2)

    @cached_property
    def domain(self) -> Rows:
        """Every possible edge; on two sides, those that lead across."""
        of = dict(zip(self.labels, self.halves.of.tolist(), strict=True))
        pairs = combinations(self.labels, 2)
        return tuple("".join(pair) for pair in pairs if not self.sides or of[pair[0]] != of[pair[1]])

    @property
    def universe(self) -> Universe:
        """The vertices."""
        return Universe(self.labels)

    def records(self, rows: Rows) -> NetworkRecords:
        """A private network from edges, as if a loop and a repetition of each had been dropped."""
        made = NetworkRecords.from_labels([(row[0], row[1]) for row in rows], universe=self.universe, name="audit")
        if self.blocks > 1:
            made = replace(made, blocks=VertexBlocks.ranges(len(self.labels), blocks=self.blocks))
        made = made.across(self.halves if self.sides else None)
        return replace(made, dropped_loops=len(rows), dropped_repeats=len(rows), dropped_outside=len(rows))

    def of(self, mechanism: Any) -> NetworkCase:  # noqa: ANN401 - whatever has a publish
        """The same data for another mechanism."""
        return replace(self, mechanism=mechanism)

    def lists(self, held: Any) -> Ragged:  # noqa: ANN401 - records or published networks
        """The edges that records, or published data, hold."""
        return edge_lists(held.graph)

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Each edge with a random probability."""
        share = generator.random()
        return tuple(edge for edge in self.domain if generator.random() < share)

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every missing edge added, then every edge removed; k edges that are protected together are k such steps.

        On two sides, an edge between the first two vertices, which is dropped if they are on one side, is added too.
        """
        if self.sides and self.labels[:2] not in self.domain:
            yield tuple(sorted((*rows, self.labels[:2])))
        for edge in self.domain:
            if edge not in rows:
                yield tuple(sorted((*rows, edge)))
        for edge in rows:
            yield tuple(kept for kept in rows if kept != edge)

    def tight_pairs(self) -> Sequence[Pair]:
        """No edge and one; all edges but one, and all."""
        return [((), self.domain[:1]), (self.domain[1:], self.domain), (self.domain[:-1], self.domain)]

    def output_pairs(self) -> Sequence[Pair]:
        """The same, unless other pairs were given."""
        return self.small_pairs or self.tight_pairs()[:2]

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of a network
        """The published edges, as one value."""
        return tuple(release.data.graph.keys.tolist())

    def sampled_neighbours(self, records: NetworkRecords, *, number: int, seed: int) -> Iterator[tuple[str, NetworkRecords]]:
        """Neighbours of a real network: one edge removed or added."""
        generator = public_generator(seed)
        size, keys = records.graph.vertices, records.graph.keys
        for turn in range(number):
            if turn % 2 and keys.size:
                gone = int(generator.integers(0, keys.size))
                yield "one edge less", replace(records, graph=Graph(size, np.delete(keys, gone)))
                continue
            first, second = sorted(generator.choice(size, 2, replace=False).tolist())
            key = np.array([first * size + second], dtype=np.int64)
            yield "one edge more or less", replace(records, graph=Graph(size, np.setxor1d(keys, key)))


# The mechanisms, reduced.

SMALL, THREE = PureDP(4), PureDP(3)
CLEAR = PureDP(60)
"""A budget so large that the noise of many numbers can be enumerated; the law has the same form at any budget."""


@dataclass(frozen=True)
class NetworkSubject:
    """What all of them share: replays on all graphs of five vertices, outputs on those of a few."""

    variants: tuple[Variant, ...]
    labels: str = "ABC"
    for_output: Budget = SMALL
    span: int = 4

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> NetworkCase:
        """On graphs of five vertices."""
        return NetworkCase(
            name=variant.name,
            mechanism=variant.mechanism,
            budget=budget if budget.epsilon >= variant.least_epsilon else self.budget(variant.least_epsilon),
            blocks=variant.blocks,
            sides=variant.sides,
        )

    def output_case(self, variant: Variant) -> NetworkCase:
        """On graphs with so few vertices that all outputs can be enumerated."""
        return NetworkCase(
            name=variant.name,
            mechanism=variant.mechanism,
            budget=self.for_output,
            labels=self.labels,
            span=self.span,
            blocks=min(variant.blocks, len(self.labels)),
            sides=variant.sides,
        )


@dataclass(frozen=True)
class Shapes(NetworkSubject):
    """The shape of a network: two vertices, because every degree and every pair of classes has noise of its own."""

    variants: tuple[Variant, ...] = (
        Variant(name="shape", mechanism=ShapeNetwork()),
        Variant(name="shape, two correlated edges", mechanism=ShapeNetwork(correlated_edges=2)),
        Variant(name="shape, blocks of vertices", mechanism=ShapeNetwork(), blocks=2),
        Variant(name="shape, two sides", mechanism=ShapeNetwork(), sides=True),
        Variant(name="shape, communities", mechanism=ShapeNetwork(communities=True)),
        Variant(name="shape, corners of triangles", mechanism=ShapeNetwork(), least_epsilon=200),
    )
    labels: str = "AB"
    for_output: Budget = CLEAR
    span: int = 2


@dataclass(frozen=True)
class Degrees(NetworkSubject):
    """The degrees of a network."""

    variants: tuple[Variant, ...] = (
        Variant(name="degree", mechanism=DegreeNetwork()),
        Variant(name="degree, two correlated edges", mechanism=DegreeNetwork(correlated_edges=2)),
        Variant(name="degree, two sides", mechanism=DegreeNetwork(), sides=True),
    )
    labels: str = "AB"
    for_output: Budget = CLEAR
    span: int = 2


@dataclass(frozen=True)
class Regions(NetworkSubject):
    """DER: five vertices make one level of splits at a large budget; three are arranged without a split."""

    variants: tuple[Variant, ...] = (
        Variant(name="der", mechanism=DenseRegions()),
        Variant(name="der, two correlated edges", mechanism=DenseRegions(correlated_edges=2)),
        Variant(name="der, a coarse grid", mechanism=DenseRegions(grid=2, density=Fraction(3, 4))),
    )
    for_output: Budget = THREE
    span: int = 6
