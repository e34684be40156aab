"""A transit agency: lines, stations, and passengers who mostly go between home and work.

The world is made up, so its generator may be seeded and its counts may be printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tacita.core.errors import ParameterError
from tacita.core.ragged import Ragged, offsets_of
from tacita.core.taxonomy import Taxonomy
from tacita.core.universe import Universe

__all__ = ["TransitWorld"]


@dataclass(frozen=True, kw_only=True)
class TransitWorld:
    """A made-up agency; the same fields give the same world."""

    passengers: int
    stations: int
    lines: int
    mean_length: float = 6.7
    max_length: int = 121
    other_trips: float = 0.15
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the sizes."""
        if not 1 <= self.lines <= self.stations or self.passengers < 0 or self.mean_length < 1:
            message = (
                "a transit world needs a line at least, a station at least for each line, no negative number of passengers "
                f"and a mean length of at least 1, got {self}"
            )
            raise ParameterError(message)

    @cached_property
    def universe(self) -> Universe:
        """The stations, line by line."""
        return Universe([f"{line}-{stop:02d}" for line, stop in self._stops()])

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """Each station on its one line."""
        return Taxonomy.from_edges([(f"{line}-{stop:02d}", f"line {line}") for line, stop in self._stops()])

    def _stops(self) -> list[tuple[str, int]]:
        per_line = -(-self.stations // self.lines)
        return [(f"L{place // per_line + 1:02d}", place % per_line + 1) for place in range(self.stations)]

    def sequences(self) -> Ragged:
        """One sequence of station codes a passenger: to and fro between two stations, now and then somewhere else."""
        generator = np.random.default_rng(self.seed)
        popularity = self._popularity(generator)
        lengths = np.minimum(generator.geometric(1 / self.mean_length, self.passengers), self.max_length)
        offsets = offsets_of(lengths)
        homes, works = (self._draw(generator, popularity, self.passengers) for _ in range(2))
        works = np.where(works == homes, (homes + 1) % self.stations, works)
        places = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        codes = np.where(places % 2 == 0, np.repeat(homes, lengths), np.repeat(works, lengths))
        elsewhere = np.flatnonzero(generator.random(codes.size) < self.other_trips)
        codes[elsewhere] = self._draw(generator, popularity, elsewhere.size)
        return Ragged(codes.astype(np.int32), offsets)

    def times(self, sequences: Ragged) -> npt.NDArray[np.int64]:
        """A time in seconds for each symbol of `sequences`, increasing within a passenger."""
        generator = np.random.default_rng([self.seed, 1])
        gaps = generator.integers(600, 36_000, sequences.codes.size)
        running = np.cumsum(gaps)
        before = np.append(0, running)[sequences.offsets[:-1]]
        return np.asarray(running - np.repeat(before, sequences.lengths), dtype=np.int64)

    def _popularity(self, generator: np.random.Generator) -> npt.NDArray[np.float64]:
        """Cumulative weights: stations by a Zipf law in random order."""
        weights = 1 / np.arange(1, self.stations + 1) ** 0.8
        generator.shuffle(weights)
        return np.asarray(np.cumsum(weights / weights.sum()), dtype=np.float64)

    def _draw(self, generator: np.random.Generator, popularity: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.int64]:
        drawn = np.searchsorted(popularity, generator.random(size))
        return np.asarray(np.minimum(drawn, self.stations - 1), dtype=np.int64)
