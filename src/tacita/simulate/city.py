"""Pedestrians in a city: (block, hour) pairs with a sensitive attribute.

The preset has the size of *City80K* in Chen's thesis, 2012, section 5.4 and Table 5.3: "a synthetic dataset simulating the routes
of 80,000 pedestrians roaming in a metropolitan area of 26 blocks in 24 hours. The sensitive attribute contains a total of five
possible values, one of which is considered as sensitive". Its 2,297 K bytes are 28.7 per record, which is the size of seven to
eight pairs written as a letter, an hour and a space. The file is not available. How people move is our assumption.
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
from tacita.simulate.draws import Popularity, choose_slots, is_exponent, require_sizes
from tacita.simulate.grid import district_edges, neighbours
from tacita.simulate.trajectories import Trajectories, with_attributes

__all__ = ["CityWorld"]


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
