"""Networks: vertices in communities with degrees by a power law, and stations joined where many passengers travel.

In the first world, edges are drawn between vertices in proportion to their weights (Chung and Lu, 2002), most of them within a
community. The preset has the size of *ca-GrQc*, a collaboration network used in Chen's thesis (2012, Table 7.1: 5,242 vertices
and 14,496 edges, 12 of which join an author to himself). Degrees and communities are not published; they are assumptions. The
second world is made from the trips of a simulated transit agency.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.arrays import AnyIntegers, Integers
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.draws import Popularity, require_sizes, sorted_distinct
from tacita.simulate.transit import TransitWorld

__all__ = ["CommutingWorld", "NetworkWorld"]

ROUNDS = 50  # rounds in which missing edges are drawn by weight, before they are drawn uniformly among all pairs


@dataclass(frozen=True, kw_only=True)
class NetworkWorld:
    """A made-up network; the same fields give the same world.

    There are `vertices * mean_degree / 2` edges, rounded. Degrees follow a power law with `exponent` (the probability of degree d
    falls like d ** -exponent), as closely as the number of vertices allows. The sizes of communities follow a Zipf law; an edge
    leads to any community with probability `mixing` and otherwise stays within its own.

    >>> world = NetworkWorld(vertices=100, mean_degree=4, communities=5)
    >>> world.edges().shape
    (200, 2)
    """

    vertices: int
    mean_degree: float
    communities: int
    exponent: float = 2.5
    mixing: float = 0.2
    seed: int = 0

    kind: ClassVar[str] = "networks"

    def __post_init__(self) -> None:
        """Check the sizes, the exponent and the probability."""
        require_sizes(
            self,
            (1 <= self.communities <= self.vertices, "a network needs at least one community and at least one vertex for each"),
            (
                0 <= self.mean_degree <= (self.vertices - 1) / 4,
                "the mean degree must be between 0 and a quarter of the other vertices",
            ),
            (self.exponent > 2, "the exponent of the degrees must be above 2, or they would have no mean"),
            (0 <= self.mixing <= 1, "mixing must be between 0 and 1"),
            (self.seed >= 0, "a seed must not be negative"),
        )

    @classmethod
    def collaboration(cls, *, vertices: int = 5_242, seed: int = 0) -> NetworkWorld:
        """A collaboration network of the size and density of *ca-GrQc*; with fewer vertices, the mean degree stays the same."""
        mean_degree = min(2 * 14_484 / 5_242, (vertices - 1) / 4)
        return cls(vertices=vertices, mean_degree=mean_degree, communities=max(1, vertices // 40), seed=seed)

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        return (
            f"an undirected network of {self.vertices:,} vertices in {self.communities:,} communities, "
            f"with degrees by a power law; one row per edge"
        )

    @cached_property
    def universe(self) -> Universe:
        """The vertices, community by community, numbered from 1."""
        return Universe([str(vertex + 1) for vertex in range(self.vertices)])

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """Each vertex in its community."""
        names = [f"community {community + 1}" for community in self.community.tolist()]
        return Taxonomy.from_edges(zip(self.universe.labels, names, strict=True), universe=self.universe)

    @cached_property
    def community(self) -> Integers:
        """The community of each vertex: one vertex in each, the others by a Zipf law."""
        generator = np.random.default_rng([self.seed, 1])
        sizes = Popularity.zipf(self.communities, exponent=0.7, generator=generator)
        drawn = sizes.draw(generator, self.vertices - self.communities)
        return np.sort(np.concatenate([np.arange(self.communities), drawn])).astype(np.int64)

    def edges(self) -> Integers:
        """Two columns of vertex codes, the smaller first; sorted, each edge once."""
        return self._edges.copy()

    @cached_property
    def _edges(self) -> Integers:
        generator = np.random.default_rng(self.seed)
        popularity = self._weights(generator)
        firsts = np.searchsorted(self.community, np.arange(self.communities + 1))
        wanted = round(self.vertices * self.mean_degree / 2)
        found = np.zeros(0, dtype=np.int64)
        attempt = 0
        while found.size < wanted:
            missing = wanted - found.size
            if attempt < ROUNDS:
                tail = popularity.draw(generator, missing)
                anywhere = generator.random(missing) < self.mixing
                own = self.community[tail]
                first, last = np.where(anywhere, 0, firsts[own]), np.where(anywhere, self.vertices, firsts[own + 1])
                head = popularity.draw_between(generator, first, last)
            else:
                tail, head = generator.integers(0, self.vertices, (2, missing), dtype=np.int32)
            found = _with_new_edges(found, tail, head, vertices=self.vertices)
            attempt += 1
        return np.stack([found // self.vertices, found % self.vertices], axis=1)

    def _weights(self, generator: np.random.Generator) -> Popularity:
        """Pareto weights, capped so that no vertex is expected to have more than a quarter of all others as neighbours."""
        weights = generator.random(self.vertices) ** (-1 / (self.exponent - 1))
        cap = weights.sum() / max(4 * self.mean_degree, 1) * max(self.vertices - 1, 1) / self.vertices
        return Popularity(np.minimum(weights, cap))

    def degrees(self) -> Integers:
        """The number of neighbours of each vertex."""
        return np.bincount(self._edges.ravel(), minlength=self.vertices).astype(np.int64)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Edges: source, target, as labels."""
        labels = pl.Series(self.universe.labels, dtype=pl.String)
        return {self.kind: pl.DataFrame({"source": labels.gather(self._edges[:, 0]), "target": labels.gather(self._edges[:, 1])})}

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        edges, degrees = self._edges, self.degrees()
        inside = self.community[edges[:, 0]] == self.community[edges[:, 1]]
        return {
            "records": self.vertices,
            "edges": len(edges),
            "edge density": len(edges) / max(self.vertices * (self.vertices - 1) / 2, 1),
            "mean degree": float(degrees.mean()),
            "max degree": int(degrees.max()),
            "vertices without an edge": int((degrees == 0).sum()),
            "share of edges within a community": float(inside.mean()) if len(edges) else 0.0,
        }


def _with_new_edges(found: Integers, tail: AnyIntegers, head: AnyIntegers, *, vertices: int) -> Integers:
    """The edges as sorted numbers, with the new pairs that are not loops; duplicates are merged."""
    low, high = np.minimum(tail, head).astype(np.int64), np.maximum(tail, head).astype(np.int64)
    apart = low != high
    return sorted_distinct(np.concatenate([found, low[apart] * vertices + high[apart]]))


# A network of stations: an edge where many passengers of a simulated agency travel between two stations within a week.
#
# The preset has the size of the *STM* network of Chen's thesis, 2012, section 7.5 and Table 7.1: 1,012 stations, "an edge if
# more than 500 passengers commute between them in a week", 7,860 edges. The data are not available. In our simulated week fewer
# pairs have more than 500 passengers, since its trips are spread over more pairs, so the busiest pairs are taken until there
# are as many edges as in the table; `statistics()` says how many passengers the last of them has.
#
# An edge of this network depends on many passengers. Protecting an edge does not protect any of them, whatever the thesis
# suggests: moving one passenger can change several edges.


@dataclass(frozen=True, kw_only=True)
class CommutingWorld:
    """The busiest pairs of stations of a transit world, as undirected edges; ties are broken by the order of stations.

    >>> world = CommutingWorld(transit=TransitWorld(passengers=2_000, stations=30, lines=3), wanted_edges=40)
    >>> world.edges().shape
    (40, 2)
    """

    transit: TransitWorld
    wanted_edges: int

    kind: ClassVar[str] = "networks"

    def __post_init__(self) -> None:
        """Check the number of edges."""
        stations = self.transit.stations
        require_sizes(
            self,
            (0 <= self.wanted_edges <= stations * (stations - 1) // 2, "there must not be more edges than pairs of stations"),
        )

    @classmethod
    def stm(cls, *, passengers: int = 1_210_096, seed: int = 0) -> CommutingWorld:
        """The 7,860 busiest pairs of the simulated STM."""
        return cls(transit=TransitWorld.stm(passengers=passengers, seed=seed), wanted_edges=7_860)

    @property
    def seed(self) -> int:
        """The seed of the transit world."""
        return self.transit.seed

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        return (
            f"the {self.wanted_edges:,} pairs among {self.transit.stations:,} stations between which most of "
            f"{self.transit.passengers:,} passengers travel; one row per edge"
        )

    @property
    def universe(self) -> Universe:
        """The stations, line by line."""
        return self.transit.universe

    @property
    def taxonomy(self) -> Taxonomy:
        """Each station on its one line."""
        return self.transit.taxonomy

    @cached_property
    def _busiest(self) -> tuple[Integers, Integers]:
        """The pairs, and how many passengers each has."""
        taps, stations = self.transit.sequences(), self.transit.stations
        person, codes = np.repeat(np.arange(len(taps)), taps.lengths), taps.codes.astype(np.int64)
        moved = (person[1:] == person[:-1]) & (codes[1:] != codes[:-1])
        low, high = np.minimum(codes[1:], codes[:-1])[moved], np.maximum(codes[1:], codes[:-1])[moved]
        trips = np.unique(person[1:][moved] * stations**2 + low * stations + high)  # a passenger counts once for a pair
        numbers = np.bincount(trips % stations**2, minlength=stations**2)
        chosen = np.sort(np.argsort(-numbers, kind="stable")[: self.wanted_edges])
        chosen = chosen[numbers[chosen] > 0]
        return np.stack([chosen // stations, chosen % stations], axis=1), numbers[chosen]

    def edges(self) -> Integers:
        """Two columns of station codes, the smaller first; sorted, each edge once."""
        return self._busiest[0].copy()

    def tables(self) -> dict[str, pl.DataFrame]:
        """Edges: source, target, as labels."""
        labels, edges = pl.Series(self.universe.labels, dtype=pl.String), self._busiest[0]
        return {self.kind: pl.DataFrame({"source": labels.gather(edges[:, 0]), "target": labels.gather(edges[:, 1])})}

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        edges, passengers = self._busiest
        stations = self.transit.stations
        return {
            "records": stations,
            "edges": len(edges),
            "edge density": len(edges) / (stations * (stations - 1) / 2),
            "max degree": int(np.bincount(edges.ravel(), minlength=stations).max()),
            "fewest passengers of an edge": int(passengers.min()) if passengers.size else 0,
        }
