"""A transit agency: lines, stations, and passengers who commute or travel now and then, over a number of days.

How passengers spend their days comes first, then the agency with its presets. The world is made up, so its generator may be
seeded and its counts may be printed. The presets have the sizes of the data of the Société de transport de Montréal that the
papers used and that are not available to anybody else:

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
import numpy.typing as npt
import polars as pl

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.draws import Popularity, choose_slots, heavy_lengths, is_exponent, is_spread, mean_distinct, require_sizes

__all__ = ["Habits", "Network", "Passengers", "Taps", "TransitWorld", "clock", "walk"]


# How passengers spend their days: which stations they tap in at, and when.
#
# A passenger leaves home, changes lines if necessary, stays, comes back, and does so again on another day. All passengers take
# their next step at once, so the cost is a few array operations per tap, and there is no object per passenger.


OPENING, CLOSING = 5 * 3600, 24 * 3600
DAY = 24 * 3600
ONWARD = 0.15  # the probability that somebody who leaves a place goes on to another one instead of going home

LEAVES_HOME, LEAVES_PLACE, CHANGES_LINES = 0, 1, 2


@dataclass(frozen=True, eq=False, kw_only=True)
class Network:
    """The line of each station, the station at which passengers change to each line, and the popularity of destinations."""

    line: Numbers
    interchange: Numbers
    destinations: Popularity

    def change_at(self, here: Numbers, goal: Numbers) -> Numbers:
        """Where passengers change lines: at the interchange of the line with the lower number."""
        return self.interchange[np.minimum(self.line[here], self.line[goal])]

    def goal_from(self, here: Numbers, generator: np.random.Generator) -> Numbers:
        """Where passengers at these stations go: to any other one, by its popularity."""
        goal = self.destinations.draw(generator, here.size)
        return np.where(goal == here, (here + 1) % self.line.size, goal).astype(np.int32)


@dataclass(frozen=True, eq=False, kw_only=True)
class Passengers:
    """Columns of passengers: where they live and work, how likely a trip is to lead elsewhere, whether they commute."""

    home: Numbers
    work: Numbers
    elsewhere: Reals
    is_commuter: Booleans


@dataclass(frozen=True, kw_only=True)
class Habits:
    """Probabilities that are the same for everybody."""

    returns: float
    transfers: float
    nearby: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Taps:
    """Columns of taps, passenger by passenger: station, reason, outing, and whether that outing is to work."""

    offsets: Integers
    station: Numbers
    role: npt.NDArray[np.int8]
    outing: Numbers
    to_work: Booleans


def walk(passengers: Passengers, offsets: Integers, *, network: Network, habits: Habits, generator: np.random.Generator) -> Taps:
    """Let every passenger tap as often as `offsets` says; those with most taps come first, so the ones left are a slice."""
    lengths = np.diff(offsets)
    order = np.argsort(-lengths, kind="stable")
    total = int(offsets[-1])
    taps = Taps(
        offsets=offsets,
        station=np.empty(total, dtype=np.int32),
        role=np.empty(total, dtype=np.int8),
        outing=np.empty(total, dtype=np.int32),
        to_work=np.empty(total, dtype=np.bool_),
    )
    way = _Way(passengers, order, network, habits, generator)
    places = offsets[:-1][order]
    active = np.searchsorted(-lengths[order], -np.arange(int(lengths.max(initial=0))), side="left")
    for step, count in enumerate(active.tolist()):
        at = places[:count] + step
        taps.station[at], taps.role[at] = way.here[:count], way.role[:count]
        taps.outing[at], taps.to_work[at] = way.outing[:count], way.to_work[:count]
        way.step(count)
    _board_nearby(taps.station, network=network, habits=habits, generator=generator)
    return taps


def _board_nearby(station: Numbers, *, network: Network, habits: Habits, generator: np.random.Generator) -> None:
    """Move some taps to the station before or after on the same line."""
    moved = np.flatnonzero(generator.random(station.size) < habits.nearby)
    there = station[moved] + generator.choice(np.array([-1, 1], dtype=np.int32), moved.size)
    there = np.clip(there, 0, network.line.size - 1)
    station[moved] = np.where(network.line[there] == network.line[station[moved]], there, station[moved])


class _Way:
    """Where everybody is and wants to go; the only object that changes during the walk."""

    def __init__(
        self,
        passengers: Passengers,
        order: Integers,
        network: Network,
        habits: Habits,
        generator: np.random.Generator,
    ) -> None:
        self.home, self.work = passengers.home[order], passengers.work[order]
        self.elsewhere = passengers.elsewhere[order]
        self.network, self.habits, self.generator = network, habits, generator
        self.here, self.goal = self.home.copy(), self.work.copy()
        self.outing = np.full(order.size, -1, dtype=np.int32)
        self.role = np.full(order.size, LEAVES_HOME, dtype=np.int8)
        self.to_work = np.ones(order.size, dtype=np.bool_)
        self._leave_home(np.arange(order.size))

    def step(self, count: int) -> None:
        """Go on to the next tap: change lines, or arrive and leave again."""
        here, goal = self.here[:count], self.goal[:count]
        line = self.network.line
        may_change = (line[here] != line[goal]) & (self.role[:count] != CHANGES_LINES)
        changes = np.flatnonzero(may_change & (self.generator.random(count) < self.habits.transfers))
        between = self.network.change_at(here[changes], goal[changes])
        on_the_way = (between != here[changes]) & (between != goal[changes])
        changes, between = changes[on_the_way], between[on_the_way]
        arrives = np.ones(count, dtype=np.bool_)
        arrives[changes] = False
        is_back = goal == self.home[:count]
        walks_back = self.generator.random(count) >= self.habits.returns
        starts = np.flatnonzero(arrives & (is_back | walks_back))
        leaves = np.flatnonzero(arrives & ~is_back & ~walks_back)
        self.here[changes], self.role[changes] = between, CHANGES_LINES
        self._leave_home(starts)
        self._leave_place(leaves)

    def _leave_home(self, who: Integers) -> None:
        self.here[who] = self.home[who]
        self.role[who] = LEAVES_HOME
        self.outing[who] += 1
        other = self.generator.random(who.size) < self.elsewhere[who]
        self.to_work[who] = ~other
        self.goal[who] = self.work[who]
        self._go_elsewhere(who[other])

    def _leave_place(self, who: Integers) -> None:
        self.here[who] = self.goal[who]
        self.role[who] = LEAVES_PLACE
        self.goal[who] = self.home[who]
        self._go_elsewhere(who[self.generator.random(who.size) < ONWARD])

    def _go_elsewhere(self, who: Integers) -> None:
        self.goal[who] = self.network.goal_from(self.here[who], self.generator)


def clock(taps: Taps, passengers: Passengers, *, days: int, generator: np.random.Generator) -> Integers:
    """Seconds from the first midnight for each tap, strictly increasing within a passenger, inside the opening hours.

    Outings fall on different days while there are free days, preferably working days; if there are more outings than days, they
    share the days evenly, and each has its part of the opening hours.
    """
    lengths = np.diff(taps.offsets)
    day, nth, of = _days(taps, passengers, days=days, generator=generator)
    longest = int(lengths.max(initial=0))
    span = CLOSING - OPENING - longest
    part = np.clip((_hours(taps, generator) * 3600 - OPENING) / span, 0, 0.999999)
    moment = day * DAY + OPENING + ((nth + part) / of * span).astype(np.int64)
    person = np.repeat(np.arange(lengths.size), lengths) * np.int64(2 * (days + 1) * DAY)
    ordered = np.sort(person + moment)
    steps = np.arange(ordered.size)
    return np.asarray(np.maximum.accumulate(ordered - steps) + steps - person, dtype=np.int64)


def _days(
    taps: Taps, passengers: Passengers, *, days: int, generator: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    """The day of each tap's outing, the number of that outing within the day, and how many outings the day has."""
    lengths = np.diff(taps.offsets)
    outings = taps.outing[taps.offsets[1:] - 1].astype(np.int64) + 1 if lengths.size else lengths
    first_day_off = np.where(generator.random(lengths.size) < 0.7, 5, generator.integers(0, 7, lengths.size))
    since = (np.arange(days) - first_day_off[:, None]) % 7
    weights = np.where((since < 2) & passengers.is_commuter[:, None], 0.25, 1.0)
    chosen = np.nonzero(choose_slots(generator, outings, weights))[1]
    starts = np.append(0, np.cumsum(np.minimum(outings, days)))[:-1]
    many, start = np.repeat(outings, lengths), np.repeat(starts, lengths)
    outing = taps.outing.astype(np.int64)
    crowded = many > days
    day = np.where(crowded, outing * days // many, chosen[start + np.where(crowded, 0, outing)])
    first, after = -(-day * many // days), -(-(day + 1) * many // days)
    return day, np.where(crowded, outing - first, 0), np.where(crowded, after - first, 1)


def _hours(taps: Taps, generator: np.random.Generator) -> Reals:
    """The hour of day of each tap: rush hours for work, wider spreads for other trips, a few minutes for a change of lines."""
    leaves_home = taps.role == LEAVES_HOME
    centre = np.where(taps.to_work, np.where(leaves_home, 7.75, 17.25), np.where(leaves_home, 12.5, 16.5))
    width = np.where(taps.to_work, np.where(leaves_home, 0.75, 1.0), 3.0)
    hours = centre + width * generator.standard_normal(taps.role.size)
    changes = np.flatnonzero(taps.role == CHANGES_LINES)
    hours[changes] = hours[changes - 1] + generator.uniform(0.1, 0.5, changes.size)
    return np.asarray(hours, dtype=np.float64)


# The agency.


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
        home = self._homes(generator)
        work = network.goal_from(home, generator)
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

    def _homes(self, generator: np.random.Generator) -> Numbers:
        return Popularity.zipf(self.stations, exponent=self.home_exponent, generator=generator).draw(generator, self.passengers)

    @property
    def _passengers(self) -> Passengers:
        return self._people[0]

    @cached_property
    def _taps(self) -> Taps:
        passengers, lengths = self._people
        habits = Habits(returns=self.returns, transfers=self.transfers, nearby=self.nearby)
        generator = np.random.default_rng(self.seed)
        return walk(passengers, offsets_of(lengths), network=self._network, habits=habits, generator=generator)
