"""A transit agency: lines, stations, and passengers who commute or travel now and then, over a number of days.

The world is made up, so its generator may be seeded and its counts may be printed. The presets have the sizes of the data of the
Société de transport de Montréal that the papers used and that are not available to anybody else:

- *Metro* and *Bus*: Chen, Fung, Desai, Sossou, KDD 2012, Table 2 (Chen's thesis, 2012, Table 6.5);
- *STM*: Chen, Fung, Desai, "Differentially private trajectory data publication", section V-A: "a time-ordered list of stations
  visited by a passenger within a week in 2009"; as sets, Chen's thesis, Table 4.2.

How often passengers commute, change lines and go elsewhere is our assumption. For STM it was chosen to match the published mean
number of different stations, without looking at the results of any publishing method.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.arrays import Integers, Numbers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.draws import Popularity, heavy_lengths, is_exponent, is_spread, mean_distinct, require_sizes
from tacita.simulate.week import Habits, Network, Passengers, Taps, clock, walk

__all__ = ["TransitWorld"]

ATTENDANCE = 0.9  # the probability that a commuter goes to work on a working day
MOST_TAPS = 10_000


@dataclass(frozen=True, kw_only=True)
class TransitWorld:
    """A made-up agency; the same fields give the same world.

    `passengers` have one record each, of `mean_length` taps on average and `max_length` at most, within `days` days from a
    Monday. `spread` says how unequal the lengths are (see `heavy_lengths`). `commuters` is the share of passengers with a work
    place, if the mean length leaves room for that many. A trip from home leads a commuter elsewhere with probability
    `other_trips`, and other passengers with probability `variety`. Somebody who went out comes back by transit with probability
    `returns`. A trip between two lines has a tap at an interchange with probability `transfers`. A tap is at the station before
    or after the usual one, on the same line, with probability `nearby`, as happens with bus stops. The popularity of homes and
    destinations follows Zipf laws with the two exponents.

    >>> world = TransitWorld(passengers=1000, stations=60, lines=4, seed=7)
    >>> len(world.sequences()), len(world.universe), world.taxonomy.name(world.taxonomy.parents[0])
    (1000, 60, 'line L01')
    """

    passengers: int
    stations: int
    lines: int
    mean_length: float = 6.7
    max_length: int = 121
    spread: float = 1.0
    days: int = 7
    commuters: float = 0.25
    other_trips: float = 0.15
    variety: float = 0.6
    returns: float = 0.85
    transfers: float = 0.0
    nearby: float = 0.0
    home_exponent: float = 0.5
    destination_exponent: float = 0.9
    seed: int = 0

    kind: ClassVar[str] = "sequences"

    def __post_init__(self) -> None:
        """Check the sizes and the probabilities."""
        chances = (self.commuters, self.other_trips, self.variety, self.returns, self.transfers, self.nearby)
        require_sizes(
            self,
            (1 <= self.lines <= self.stations, "a transit world needs at least one line, and at least one station per line"),
            (self.passengers >= 0, "a transit world must not have a negative number of passengers"),
            (1 <= self.mean_length <= self.max_length <= MOST_TAPS, f"lengths must fit: 1 <= mean <= max <= {MOST_TAPS:,}"),
            (
                self.days >= 1 and is_spread(self.spread),
                "a transit world needs at least one day and a spread above 0 and up to 5",
            ),
            (
                is_exponent(self.home_exponent, self.destination_exponent) and self.seed >= 0,
                "Zipf exponents must be between 0 and 10, and a seed must not be negative",
            ),
            (all(0 <= chance <= 1 for chance in chances), "shares and probabilities must be between 0 and 1"),
        )

    @classmethod
    def metro(cls, *, passengers: int = 847_668, seed: int = 0) -> TransitWorld:
        """The metro of Montréal by its published figures: 68 stations, mean length 4.21, at most 90."""
        return cls(passengers=passengers, stations=68, lines=4, mean_length=4.21, max_length=90, seed=seed)

    @classmethod
    def bus(cls, *, passengers: int = 778_724, seed: int = 0) -> TransitWorld:
        """The buses of Montréal by their published figures: 944 stations, mean length 5.67, at most 121."""
        return cls(
            passengers=passengers,
            stations=944,
            lines=66,
            mean_length=5.67,
            max_length=121,
            spread=0.95,
            transfers=0.3,
            nearby=0.4,
            seed=seed,
        )

    @classmethod
    def stm(cls, *, passengers: int = 1_210_096, seed: int = 0) -> TransitWorld:
        """Metro and buses by their published figures: 1,012 stations, mean length 6.7, at most 121; 4.82 different stations."""
        return cls(
            passengers=passengers,
            stations=1012,
            lines=70,
            mean_length=6.7,
            max_length=121,
            spread=0.9,
            commuters=0.15,
            other_trips=0.25,
            variety=0.8,
            transfers=0.3,
            nearby=0.4,
            seed=seed,
        )

    @classmethod
    def stm342(cls, *, passengers: int = 1_210_096, seed: int = 0) -> TransitWorld:
        """The same with 342 stations, which is what Table 6.9 of the thesis says; which 342 it does not say."""
        return replace(cls.stm(passengers=passengers, seed=seed), stations=342)

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        return (
            f"{self.passengers:,} passengers of a transit agency with {self.stations:,} stations on {self.lines} lines, "
            f"within {self.days} days; one row per tap, times in seconds from Monday's midnight"
        )

    @cached_property
    def universe(self) -> Universe:
        """The stations, line by line."""
        return Universe([f"{line}-{stop:02d}" for line, stop in self._stops()])

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """Each station on its line; even an interchange is on one line only."""
        return Taxonomy.from_edges([(f"{line}-{stop:02d}", f"line {line}") for line, stop in self._stops()])

    def _stops(self) -> list[tuple[str, int]]:
        firsts = np.searchsorted(self._line, np.arange(self.lines))
        return [(f"L{line + 1:02d}", place - int(firsts[line]) + 1) for place, line in enumerate(self._line.tolist())]

    @cached_property
    def _line(self) -> Numbers:
        """The line of each station; lines are as equal in length as possible."""
        return (np.arange(self.stations) * self.lines // self.stations).astype(np.int32)

    def sequences(self) -> Ragged:
        """One sequence of station codes per passenger, in order of time."""
        return Ragged(self._taps.station, self._taps.offsets)

    def times(self) -> Integers:
        """A time in seconds for each code of `sequences()`, increasing within a passenger."""
        return clock(self._taps, self._passengers, days=self.days, generator=np.random.default_rng([self.seed, 1]))

    def tables(self) -> dict[str, pl.DataFrame]:
        """The taps as long rows: id, label, time."""
        taps = self.sequences()
        columns = {
            "id": np.repeat(np.arange(len(taps)), taps.lengths),
            "label": pl.Series(self.universe.labels, dtype=pl.String).gather(taps.codes),
            "time": self.times(),
        }
        return {self.kind: pl.DataFrame(columns)}

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        taps = self.sequences()
        average, most = mean_distinct(taps.codes, taps.offsets, labels=self.stations)
        return {
            "records": len(taps),
            "labels": self.stations,
            "mean length": taps.codes.size / max(len(taps), 1),
            "max length": int(taps.lengths.max(initial=0)),
            "mean distinct labels": average,
            "max distinct labels": most,
        }

    @cached_property
    def _network(self) -> Network:
        generator = np.random.default_rng([self.seed, 2])
        destinations = Popularity.zipf(self.stations, exponent=self.destination_exponent, generator=generator)
        firsts = np.searchsorted(self._line, np.arange(self.lines + 1))
        middles = ((firsts[:-1] + firsts[1:] - 1) // 2).astype(np.int32)
        return Network(line=self._line, interchange=middles, destinations=destinations)

    @cached_property
    def _people(self) -> tuple[Passengers, Integers]:
        """The habits and number of taps of every passenger."""
        generator = np.random.default_rng([self.seed, 3])
        count, network = self.passengers, self._network
        home = Popularity.zipf(self.stations, exponent=self.home_exponent, generator=generator).draw(generator, count)
        work = network.destinations.draw(generator, count)
        work = np.where(work == home, (home + 1) % self.stations, work).astype(np.int32)
        changes = (network.line[home] != network.line[work]) & (generator.random(count) < self.transfers)
        working_days = max(1, round(self.days * 5 / 7))
        commuting = 2 * generator.binomial(working_days, ATTENDANCE, count) * (1 + changes)
        commuting = np.clip(commuting, 1, self.max_length)
        extra, extra_commuting = self.mean_length - 1, float(commuting.mean()) - 1 if count else 0.0
        share = min(self.commuters, extra / 2 / extra_commuting) if extra_commuting > 0 else self.commuters
        is_commuter = generator.random(count) < share
        rest = 1 + (extra - share * extra_commuting) / (1 - share) if share < 1 else 1.0
        mean = min(max(rest, 1.0), self.max_length)
        occasional = heavy_lengths(generator, count, mean=mean, longest=self.max_length, spread=self.spread)
        elsewhere = np.where(is_commuter, self.other_trips, self.variety)
        passengers = Passengers(home=home, work=work, elsewhere=elsewhere, is_commuter=is_commuter)
        return passengers, np.where(is_commuter, commuting, occasional)

    @property
    def _passengers(self) -> Passengers:
        return self._people[0]

    @cached_property
    def _taps(self) -> Taps:
        passengers, lengths = self._people
        habits = Habits(returns=self.returns, transfers=self.transfers, nearby=self.nearby)
        generator = np.random.default_rng(self.seed)
        return walk(passengers, offsets_of(lengths), network=self._network, habits=habits, generator=generator)
