"""A network of stations: an edge where many passengers of a simulated agency travel between two stations within a week.

The preset stands in for the *STM* network of Chen's thesis, 2012, section 7.5 and Table 7.1: 1,012 stations, "an edge if more
than 500 passengers commute between them in a week", 7,860 edges. The data are not available. In our simulated week fewer
pairs have more than 500 passengers, since its trips are spread over more pairs, so the busiest pairs are taken until there
are as many edges as in the table; `statistics()` says how many passengers the last of them has.

An edge here depends on many passengers. Protecting an edge does not protect any of them, whatever the thesis suggests: moving one
passenger can change several edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.draws import require_sizes
from tacita.simulate.transit import TransitWorld

__all__ = ["CommutingWorld"]


@dataclass(frozen=True, kw_only=True)
class CommutingWorld:
    """The busiest pairs of stations of a transit world, as undirected edges; ties are broken by the order of stations.

    >>> world = CommutingWorld(transit=TransitWorld(passengers=2_000, stations=30, lines=3), wanted_edges=40)
    >>> world.edges().shape
    (40, 2)
    """

    transit: TransitWorld
    wanted_edges: int

    kind: ClassVar[str] = "network"

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
