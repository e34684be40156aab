"""Passengers with their fare types: (station, hour) pairs with a sensitive attribute.

The preset has the size of *STM460K* in Chen's thesis, 2012, section 5.4 and Table 5.3: "the transit data of 462,483 passengers
among 68 subway stations within 48 hours, where the time granularity is set to hour level"; of 24 fare types "6 of them are
considered as sensitive"; 9,810 K bytes, which is 21.2 per record. The data are not available.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.draws import require_sizes
from tacita.simulate.trajectories import Trajectories, with_attributes
from tacita.simulate.transit import TransitWorld

__all__ = ["FareWorld"]


@dataclass(frozen=True, kw_only=True)
class FareWorld:
    """Passengers of a transit world by the hour (the first tap of each hour), with their fare types.

    >>> world = FareWorld.stm460k(passengers=100)
    >>> len(world.universe), len(world.trajectories().sensitive)
    (68, 6)
    """

    transit: TransitWorld
    fare_types: int = 24
    sensitive_fare_types: int = 6

    kind: ClassVar[str] = "trajectories"

    def __post_init__(self) -> None:
        """Check the number of sensitive values."""
        require_sizes(self, (1 <= self.sensitive_fare_types < self.fare_types, "some but not all fare types must be sensitive"))

    @classmethod
    def stm460k(cls, *, passengers: int = 462_483, seed: int = 0) -> FareWorld:
        """68 stations and 48 hours; 4.75 taps on average, about 4.5 of them in different hours."""
        metro = TransitWorld(
            passengers=passengers, stations=68, lines=4, mean_length=4.75, max_length=60, spread=0.7, days=2, seed=seed
        )
        return cls(transit=metro)

    @property
    def seed(self) -> int:
        """The seed of the transit world."""
        return self.transit.seed

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        return (
            f"{self.transit.passengers:,} passengers of {self.transit.stations} stations within {24 * self.transit.days} hours, "
            "with their fare types; one row per station and hour"
        )

    @property
    def universe(self) -> Universe:
        """The stations."""
        return self.transit.universe

    @property
    def taxonomy(self) -> Taxonomy:
        """Each station on its one line."""
        return self.transit.taxonomy

    def trajectories(self) -> Trajectories:
        """Everybody's stations and hours, and their fare types."""
        taps = self.transit.sequences()
        hours = self.transit.times() // 3600
        person = np.repeat(np.arange(len(taps)), taps.lengths)
        fresh = np.append(True, (person[1:] != person[:-1]) | (hours[1:] != hours[:-1]))[: hours.size]
        lengths = np.bincount(person[fresh], minlength=len(taps)).astype(np.int64)
        return with_attributes(
            np.random.default_rng([self.seed, 4]),
            Ragged(taps.codes[fresh], offsets_of(lengths)),
            hours[fresh],
            universe=self.universe,
            names=("fare", self.fare_types, self.sensitive_fare_types),
        )

    def tables(self) -> dict[str, pl.DataFrame]:
        """Long rows, the attribute of each id, and which values are sensitive."""
        return self.trajectories().tables(self.universe)

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        return self.trajectories().statistics(self.universe, hours=24 * self.transit.days)
