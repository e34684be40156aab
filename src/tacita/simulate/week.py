"""How passengers of a simulated transit agency spend their days: which stations they tap in at, and when.

A passenger leaves home, changes lines if necessary, stays, comes back, and does so again on another day. All passengers take
their next step at once, so the cost is a few array operations per tap, and there is no object per passenger.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.simulate.draws import Popularity, choose_slots

__all__ = ["Habits", "Network", "Passengers", "Taps", "clock", "walk"]

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
        goal = self.network.destinations.draw(self.generator, who.size)
        stations = self.network.line.size
        self.goal[who] = np.where(goal == self.here[who], (goal + 1) % stations, goal)


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
