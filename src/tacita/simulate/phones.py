"""Phones that record which area they are in, over months: one long sequence of areas per person.

The preset has the size of the *Reality Mining* data as used by Bonomi, Fan and Jin (WSDM 2016, section 6.1): "the alphabet size
is 69", "we preserve 32 users in this data set where the maximum sequence length is 20,000 symbols", and a taxonomy of bins of
10 area ids. The data are not available. How people move is an assumption: between home, work and a few places of their own,
through the same areas each time, with a phone that wavers between two areas during a stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, offsets_of, ranges
from tacita.public.taxonomy import Taxonomy, equal_width_bins
from tacita.public.universe import Universe
from tacita.simulate.draws import Popularity, heavy_lengths, is_exponent, is_spread, mean_distinct, require_sizes

__all__ = ["PhoneWorld"]

MOST_ON_THE_WAY = 3
BIN_WIDTH = 10


@dataclass(frozen=True, kw_only=True)
class PhoneWorld:
    """People whose phones record every change of area.

    `own_places` is the number of areas that a person visits on purpose; the k-th most visited has weight 1 / k **
    `zipf_exponent`. `wavering` is how often, on average, a phone switches to the next area and back during a stay.

    >>> world = PhoneWorld(people=3, mean_length=50, max_length=200)
    >>> len(world.sequences()), len(world.universe)
    (3, 69)
    """

    people: int = 32
    areas: int = 69
    mean_length: float = 6_000.0
    max_length: int = 20_000
    spread: float = 1.0
    own_places: int = 12
    zipf_exponent: float = 1.3
    wavering: float = 1.5
    seed: int = 0

    kind: ClassVar[str] = "personal"

    def __post_init__(self) -> None:
        """Check the sizes."""
        require_sizes(
            self,
            (self.people >= 1 and self.areas >= 4, "a world of phones needs at least one person and four areas"),
            (2 <= self.own_places <= self.areas, "a person must have at least two places, and no more than there are areas"),
            (1 <= self.mean_length <= self.max_length, "the mean length must lie between 1 and the longest"),
            (
                is_spread(self.spread) and is_exponent(self.zipf_exponent),
                "spread and exponent must be at most 5 and 10",
            ),
            (0 <= self.wavering <= 100, "phones must waver 0 to 100 times during a stay"),
        )

    @classmethod
    def reality(cls, *, people: int = 32, seed: int = 0) -> PhoneWorld:
        """69 areas and up to 20,000 symbols per person."""
        return cls(people=people, seed=seed)

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        return f"{self.people:,} people whose phones log every change among {self.areas} areas, up to {self.max_length:,} each"

    @property
    def universe(self) -> Universe:
        """The ids of the areas, from 1 on."""
        return Universe([str(area + 1) for area in range(self.areas)])

    @property
    def taxonomy(self) -> Taxonomy:
        """Bins of ten ids, as in the paper, because nothing else is known about them."""
        return equal_width_bins(self.universe, widths=[BIN_WIDTH])

    def sequences(self) -> Ragged:
        """The areas of each person, in order."""
        generator = np.random.default_rng([self.seed, 0])
        lengths = heavy_lengths(generator, self.people, mean=self.mean_length, longest=self.max_length, spread=self.spread)
        ways = generator.integers(0, self.areas, (self.areas, self.areas, MOST_ON_THE_WAY))
        ways_length = generator.integers(0, MOST_ON_THE_WAY + 1, (self.areas, self.areas))
        beside = (np.arange(self.areas) + generator.integers(1, self.areas, self.areas)) % self.areas
        rows = [self._person(generator, int(length), ways, ways_length, beside) for length in lengths]
        return Ragged(np.concatenate(rows).astype(np.int32), offsets_of(lengths))

    def _person(
        self,
        generator: np.random.Generator,
        length: int,
        ways: Integers,
        ways_length: Integers,
        beside: Integers,
    ) -> Integers:
        """From place to place, with the areas between them and those that the phone wavers to."""
        places = generator.permutation(self.areas)[: self.own_places]
        visits = places[
            Popularity.zipf(self.own_places, exponent=self.zipf_exponent, generator=generator).draw(generator, length)
        ]
        before = np.append(places[0], visits[:-1])
        way, wavers = ways_length[before, visits], generator.poisson(self.wavering, length)
        sizes = way + 1 + 2 * wavers
        step = ranges(np.zeros(length, dtype=np.int64), sizes)
        visit = np.repeat(np.arange(length), sizes)
        staying = step - way[visit]
        on_the_way = ways[before[visit], visits[visit], np.minimum(step, MOST_ON_THE_WAY - 1)]
        at_place = np.where(staying % 2 == 0, visits[visit], beside[visits[visit]])
        return np.where(staying < 0, on_the_way, at_place)[:length]

    def tables(self) -> dict[str, pl.DataFrame]:
        """Long rows: id, label, time in seconds, a few minutes apart."""
        sequences = self.sequences()
        generator = np.random.default_rng([self.seed, 1])
        gaps = generator.exponential(600.0, sequences.codes.size).astype(np.int64) + 1
        times = np.cumsum(gaps)
        times -= np.repeat(times[sequences.offsets[:-1]], sequences.lengths)
        rows = {
            "id": np.repeat(np.arange(len(sequences)), sequences.lengths),
            "label": pl.Series(self.universe.labels, dtype=pl.String).gather(sequences.codes),
            "time": times,
        }
        return {"personal": pl.DataFrame(rows)}

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        sequences = self.sequences()
        average, most = mean_distinct(sequences.codes, sequences.offsets, labels=self.areas)
        return {
            "records": len(sequences),
            "labels": self.areas,
            "mean length": sequences.codes.size / len(sequences),
            "max length": int(sequences.lengths.max(initial=0)),
            "mean distinct labels": average,
            "max distinct labels": most,
        }
