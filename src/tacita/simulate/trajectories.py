"""Trajectories of (place, hour) pairs with a sensitive attribute, as columns: pedestrians in a city, and passengers with fares.

How attributes depend on places is not published: each first place has its own share of sensitive values, by assumption.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.arrays import Integers, Numbers, Reals
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.draws import Popularity, choose_slots, is_exponent, mean_distinct, require_sizes
from tacita.simulate.streams import district_edges, neighbours
from tacita.simulate.transit import TransitWorld

__all__ = ["CityWorld", "FareWorld", "Trajectories", "with_attributes"]

CLUSTERING = 8.0  # how similar the shares of sensitive values are from place to place: the sample size of a beta distribution


@dataclass(frozen=True, eq=False, kw_only=True)
class Trajectories:
    """Columns: the places of each person in order, the hour of each place, and one attribute value per person.

    Hours increase strictly within a person. `attributes` are indices into `attribute_values`; the first `sensitive_values` of
    those are sensitive.
    """

    places: Ragged
    hours: Integers
    attributes: Integers
    attribute_values: tuple[str, ...]
    sensitive_values: int

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The values that must not be inferred."""
        return self.attribute_values[: self.sensitive_values]

    def tables(self, universe: Universe) -> dict[str, pl.DataFrame]:
        """Long rows (id, label, time in hours), and the attribute of each id."""
        rows = {
            "id": np.repeat(np.arange(len(self.places)), self.places.lengths),
            "label": pl.Series(universe.labels, dtype=pl.String).gather(self.places.codes),
            "time": self.hours,
        }
        values = pl.Series(self.attribute_values, dtype=pl.String).gather(self.attributes)
        people = {"id": np.arange(len(self.places)), "attribute": values}
        marks = {"attribute": self.attribute_values, "sensitive": [value in self.sensitive for value in self.attribute_values]}
        return {
            "trajectories": pl.DataFrame(rows),
            "attributes": pl.DataFrame(people),
            "attribute_values": pl.DataFrame(marks),
        }

    def statistics(self, universe: Universe, *, hours: int) -> dict[str, float]:
        """The figures that papers report; a pair takes the bytes of one letter or number, the hour, and a space."""
        people = max(len(self.places), 1)
        place_widths = np.array([1 if len(universe) <= 26 else len(str(code + 1)) for code in range(len(universe))])
        hour_widths = np.array([len(str(hour)) for hour in range(hours)])
        size = int(place_widths[self.places.codes].sum() + hour_widths[self.hours].sum() + self.hours.size)
        average, most = mean_distinct(self.places.codes, self.places.offsets, labels=len(universe))
        return {
            "records": len(self.places),
            "labels": len(universe),
            "dimensions": len(universe) * hours,
            "mean length": self.places.codes.size / people,
            "max length": int(self.places.lengths.max(initial=0)),
            "mean distinct labels": average,
            "max distinct labels": most,
            "bytes per record": size / people,
            "attribute values": len(self.attribute_values),
            "sensitive attribute values": self.sensitive_values,
            "share of people with a sensitive value": float((self.attributes < self.sensitive_values).sum() / people),
        }


def with_attributes(
    generator: np.random.Generator,
    places: Ragged,
    hours: Integers,
    *,
    universe: Universe,
    names: tuple[str, int, int],
) -> Trajectories:
    """Add attributes: each first place has its own share of sensitive values, beta-distributed around their overall share."""
    name, values, sensitive = names
    share = sensitive / values
    starts = places.codes[places.offsets[:-1]]
    shares = generator.beta(share * CLUSTERING, (1 - share) * CLUSTERING, len(universe))
    if starts.size:
        shares = np.minimum(shares * (share / shares[starts].mean()), 1.0)
    is_sensitive = generator.random(starts.size) < shares[starts]
    drawn = generator.random(starts.size)
    attributes = np.where(is_sensitive, drawn * sensitive, sensitive + drawn * (values - sensitive)).astype(np.int64)
    labels = tuple(f"{name} {number + 1:02d}" for number in range(values))
    return Trajectories(places=places, hours=hours, attributes=attributes, attribute_values=labels, sensitive_values=sensitive)


# Pedestrians: the blocks of a city by the hour.
#
# The preset has the size of *City80K* in Chen's thesis, 2012, section 5.4 and Table 5.3: "a synthetic dataset simulating the
# routes of 80,000 pedestrians roaming in a metropolitan area of 26 blocks in 24 hours. The sensitive attribute contains a total
# of five possible values, one of which is considered as sensitive". Its 2,297 K bytes are 28.7 per record, which is the size of
# seven to eight pairs written as a letter, an hour and a space. The file is not available. How people move is our assumption.


@dataclass(frozen=True, kw_only=True)
class CityWorld:
    """Pedestrians who roam between neighbouring blocks; the same fields give the same world.

    Each is seen at `mean_length` different hours on average. The popularity of home blocks, where people start, follows a Zipf
    law. From one hour to the next, a person stays with probability `stay` and otherwise goes to a neighbouring block.

    >>> world = CityWorld.city80k(people=100)
    >>> len(world.trajectories().places), world.universe.labels[25]
    (100, 'block Z')
    """

    people: int
    blocks: int = 26
    hours: int = 24
    mean_length: float = 7.6
    stay: float = 0.5
    home_exponent: float = 1.0
    attribute_values: int = 5
    sensitive_values: int = 1
    seed: int = 0

    kind: ClassVar[str] = "trajectories"

    def __post_init__(self) -> None:
        """Check the sizes and the probability."""
        require_sizes(
            self,
            (
                self.people >= 0 and self.blocks >= 1,
                "a city needs at least one block and must not have a negative number of people",
            ),
            (1 <= self.mean_length <= self.hours, "the mean length must be between 1 and the number of hours"),
            (
                is_exponent(self.home_exponent) and self.seed >= 0,
                "Zipf exponents must be between 0 and 10, and a seed must not be negative",
            ),
            (0 <= self.stay <= 1, "the probability of staying must be between 0 and 1"),
            (1 <= self.sensitive_values < self.attribute_values, "some but not all attribute values must be sensitive"),
        )

    @classmethod
    def city80k(cls, *, people: int = 80_000, seed: int = 0) -> CityWorld:
        """80,000 pedestrians, 26 blocks, 24 hours, seven to eight pairs each."""
        return cls(people=people, seed=seed)

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        return (
            f"{self.people:,} pedestrians in a city of {self.blocks} blocks within {self.hours} hours, "
            "with a sensitive attribute; one row per block and hour"
        )

    @cached_property
    def universe(self) -> Universe:
        """The blocks: letters, or numbers if there are too many of them."""
        if self.blocks <= 26:
            return Universe([f"block {chr(ord('A') + code)}" for code in range(self.blocks)])
        return Universe([f"block {code + 1}" for code in range(self.blocks)])

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """Blocks in districts of up to nine."""
        return Taxonomy.from_edges(district_edges(self.universe.labels, side=3), universe=self.universe)

    def trajectories(self) -> Trajectories:
        """Everybody's blocks and hours, and their attributes."""
        generator = np.random.default_rng(self.seed)
        more = self.hours - 1
        lengths = 1 + generator.binomial(more, (self.mean_length - 1) / more if more else 0.0, self.people)
        hours = np.nonzero(choose_slots(generator, lengths, _waking(self.hours)))[1]
        offsets = offsets_of(lengths)
        places = Ragged(self._roam(generator, offsets), offsets)
        return with_attributes(
            generator,
            places,
            hours,
            universe=self.universe,
            names=("condition", self.attribute_values, self.sensitive_values),
        )

    def _roam(self, generator: np.random.Generator, offsets: Integers) -> Numbers:
        """The blocks, step by step; everybody who is still walking takes a step at once."""
        lengths = np.diff(offsets)
        here = Popularity.zipf(self.blocks, exponent=self.home_exponent, generator=generator).draw(generator, self.people)
        around, ways = neighbours(self.blocks)
        codes = np.empty(int(offsets[-1]), dtype=np.int32)
        for step in range(int(lengths.max(initial=0))):
            still = np.flatnonzero(lengths > step)
            codes[offsets[still] + step] = here[still]
            movers = still[(generator.random(still.size) >= self.stay) & (ways[here[still]] > 0)]
            choice = (generator.random(movers.size) * ways[here[movers]]).astype(np.int64)
            here[movers] = around[here[movers], choice]
        return codes

    def tables(self) -> dict[str, pl.DataFrame]:
        """Long rows, the attribute of each id, and which values are sensitive."""
        return self.trajectories().tables(self.universe)

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        return self.trajectories().statistics(self.universe, hours=self.hours)


def _waking(hours: int) -> Reals:
    """How likely people are to be out at each hour: most at 15:00, least at 3:00."""
    return np.array([1 + 0.8 * math.cos(2 * math.pi * (hour - 15) / 24) for hour in range(hours)])


# Passengers: the stations of a transit agency by the hour; the sensitive attribute is the fare type.
#
# The preset has the size of *STM460K* in Chen's thesis, 2012, section 5.4 and Table 5.3: "the transit data of 462,483
# passengers among 68 subway stations within 48 hours, where the time granularity is set to hour level"; of 24 fare types "6 of
# them are considered as sensitive"; 9,810 K bytes, which is 21.2 per record. The data are not available.


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
