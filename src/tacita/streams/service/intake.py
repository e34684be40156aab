"""Which event belongs to which timestamp, and which window to whom, by public rules that never look at a status.

A timestamp is closed when a clock has passed its end by the public grace. The clock is that of the machine (`Clock.WALL`), or,
for a stream that was recorded before, the latest time of an event (`Clock.EVENTS`; on a live stream this would show that
somebody is there, by when a timestamp closes). An event that comes after its timestamp was closed is late and is left out:
counted in another timestamp it could displace the person's own event there, and touch windows that it does not belong to. Of
several events of one person in one timestamp the first counts.

To go on after a restart, the events of timestamps that are still needed are read again. `cuts` say how far each partition had
been read when a timestamp was closed: an event behind the cut was late then, and is late again. `Waiting` holds the late events
that no cut shows: those of a timestamp that the clock had closed, and that is still needed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from heapq import heappop, heappush
from itertools import repeat

import numpy as np
import polars as pl

from tacita.arrays import Booleans, Integers, Places
from tacita.errors import LedgerDamagedError, ParameterError
from tacita.public.parameters import Chosen, whole_number
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.published import OTHER
from tacita.streams.service.sources import Batch, Offsets, Source

__all__ = ["Clock", "Closed", "Intake", "People", "Settings", "Waiting"]

Waiting = list[tuple[str, int, int]]
"""Late events: partition, offset, and the timestamp that each was too late for."""

_MOST_FIRSTS = 1_000


class Clock(StrEnum):
    """What closes a timestamp."""

    WALL = "wall"
    EVENTS = "events"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a publisher runs."""

    grace: int = 0
    clock: Chosen[Clock] = Chosen(Clock, Clock.WALL)
    group: int = 1
    names_people: bool = True
    """Whether presence is public; taken from the method by `Service`."""
    checkpoint_bytes: int = 1 << 22
    now: Callable[[], int] | None = None
    """A wall clock in the units of the grid, for tests; the machine's if not given."""

    def __post_init__(self) -> None:
        """Check the numbers; a clock of events on a stream whose presence is private would show presence."""
        whole_number(self.grace, name="grace", least=0)
        whole_number(self.group, name="group", least=1)
        if self.clock is Clock.EVENTS and not self.names_people:
            raise ParameterError(TELLS)

    def check(self, source: Source, grid: TimeGrid) -> None:
        """Refuse a source or a grid that this clock cannot close: it must tick while nothing comes if presence is private."""
        if self.clock is Clock.WALL and not grid.is_of_dates and self.now is None:
            message = "a wall clock needs a time grid of dates; name dates, or take the clock of recorded events"
            raise ParameterError(message)
        if not self.names_people and not source.is_live:
            raise ParameterError(TELLS)
        if self.names_people and not getattr(source, "names_people", True):
            message = "this source gives counts and names nobody, so presence must be private; choose presence changed or added"
            raise ParameterError(message)
        if self.now != getattr(source, "now", self.now):
            message = (
                "this source has a clock of its own, which closes timestamps when they are counted; give Settings(now=source.now)"
            )
            raise ParameterError(message)


TELLS = (
    "where presence is private, a stream must be closed by a wall clock that ticks without events, since an event that closes a "
    "timestamp shows that somebody is there; use a live source and the wall clock, or `tacita publish`"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Closed:
    """A timestamp that nothing is added to any more: who was there, in order of arrival, and the cell of each."""

    place: int
    people: list[str] = field(repr=False)
    cells: Integers = field(repr=False)
    cuts: Offsets
    clock: int
    """The latest time of an event that had been read then."""


class Intake:
    """Events on their way into timestamps."""

    def __init__(
        self,
        *,
        cells: Universe,
        grid: TimeGrid,
        grace: int,
        clock: Clock,
        now: Callable[[], int] | None = None,
    ) -> None:
        """`grace` is in the units of the grid: microseconds for dates; `now` reads the wall clock in them."""
        self._now = now or (lambda: time.time_ns() // 1000)
        self._labels = pl.Enum(cells.labels)
        self._other = cells.code(OTHER)
        self._grid, self._grace, self._clock = grid, grace, clock
        self._start, self._interval = grid.ticks_start, grid.ticks_interval
        self.next_place = 0
        self._latest = self._start
        self._pending: dict[int, _Pending] = {}
        self._firsts: dict[str, list[tuple[int, int]]] = {}  # a heap of first offset and place for each partition
        self._read: Offsets = {}
        self.waiting: Waiting = []

    def resume(self, next_place: int, read: Mapping[str, int], clock: int, waiting: Waiting) -> None:
        """Go on behind a timestamp that was closed before; `read` says how far nothing is needed again.

        `clock` is the latest time of an event then: the event itself may be one that is not needed, and does not come again.
        """
        self.waiting = waiting
        self.next_place = next_place
        self._read = dict(read)
        self._latest = max(clock, self._start)

    @property
    def needed(self) -> Offsets:
        """For each partition, the first offset of an event that is not in a closed timestamp yet."""
        needed = dict(self._read)
        for partition, firsts in self._firsts.items():
            while firsts and firsts[0][1] not in self._pending:
                heappop(firsts)
            if firsts:
                needed[partition] = min(needed.get(partition, firsts[0][0]), firsts[0][0])
        return needed

    def read_to(self, partition: str) -> int:
        """How far a partition has been read."""
        return self._read.get(partition, 0)

    def add(self, batch: Batch) -> None:
        """Take events in; timestamps that are closed by them are closed before the next event is looked at."""
        places = self._grid.places(batch.times)
        if self._clock is Clock.EVENTS:
            latest = np.maximum.accumulate(np.maximum(batch.times, self._latest))
            open_before = self._open_at(np.concatenate([[self._latest], latest[:-1]]))
            self._latest = int(latest[-1]) if latest.size else self._latest
        else:
            open_before = np.full(places.size, self._open_now())
        late = (places >= 0) & (places < open_before)
        for which in np.flatnonzero(late & (places >= self.next_place)).tolist():
            self.waiting.append((batch.partition, int(batch.offsets[which]), int(places[which])))
        self._put(batch, np.where(late, -1, places))
        self._read[batch.partition] = batch.end

    def add_again(self, batch: Batch, *, cuts: Mapping[int, Mapping[str, int]], last: Mapping[str, int]) -> Batch | None:
        """Take in what was read before a restart; give back the events that were not.

        `cuts` holds how far was read when each timestamp that is still needed was closed, `last` when the last of all was.
        """
        known = batch.offsets < last.get(batch.partition, 0)
        places = self._grid.places(batch.times)
        for place, cut in cuts.items():
            places[(places == place) & (batch.offsets >= cut.get(batch.partition, 0))] = -1
        late = [offset for partition, offset, _ in self.waiting if partition == batch.partition]
        if late:
            places[np.isin(batch.offsets, late)] = -1
        wanted = known & ((places >= self.next_place) | np.isin(places, list(cuts)))
        self._put(batch, np.where(wanted, places, -1))
        self._read[batch.partition] = max(self._read.get(batch.partition, 0), min(batch.end, last.get(batch.partition, 0)))
        return None if known.all() else _part(batch, ~known)

    def forget_late(self, before: int) -> None:
        """Remember no more which events were late for timestamps before this one."""
        if self.waiting:
            self.waiting = [each for each in self.waiting if each[2] >= before]

    def due(self) -> int:
        """How many timestamps from the next one on can be closed now."""
        now = self._latest if self._clock is Clock.EVENTS else self._now()
        return max(0, min(int(self._open_at(np.array([now]))[0]), self._grid.intervals) - self.next_place)

    def close(self, place: int) -> Closed:
        """Close a timestamp."""
        people, cells = self._pending.pop(place, _Pending()).each_once()
        self.next_place = max(self.next_place, place + 1)
        return Closed(
            place=place,
            people=people,
            cells=cells,
            cuts=dict(self._read),
            clock=self._latest,
        )

    def close_all(self) -> int:
        """How many timestamps are left, for a recorded stream that has ended: up to the last that anything was read for."""
        return max([self._open_last() - self.next_place, *(place + 1 - self.next_place for place in self._pending), 0])

    def _open_last(self) -> int:
        return min(int((self._latest - self._start) // self._interval), self._grid.intervals)

    def _open_now(self) -> int:
        return int(self._open_at(np.array([self._now()]))[0])

    def _open_at(self, clock: Integers) -> Integers:
        """The first timestamp that is still open at each reading of the clock."""
        return np.maximum((clock - self._grace - self._start) // self._interval, self.next_place)

    def _put(self, batch: Batch, places: Integers) -> None:
        """Add events to their timestamps; of several of one person the first counts, in this batch and before."""
        inside = np.flatnonzero(places >= 0)
        if not inside.size:
            return
        known = pl.Series(batch.statuses, dtype=pl.String, strict=False).cast(self._labels, strict=False).to_physical()
        codes = known.fill_null(self._other).to_numpy().astype(np.int64)
        order = inside[np.argsort(places[inside], kind="stable")]
        for part in np.split(order, np.flatnonzero(np.diff(places[order])) + 1):
            place, first = int(places[part[0]]), int(batch.offsets[part[0]])
            self._pending.setdefault(place, _Pending()).add(_picked(batch.people, part), codes[part])
            heappush(self._firsts.setdefault(batch.partition, []), (first, place))
        firsts = self._firsts[batch.partition]
        if len(firsts) > _MOST_FIRSTS + 4 * len(self._pending):  # behind an event far ahead of all others, none is taken away
            self._firsts[batch.partition] = _earliest_of_each(firsts, self._pending)


class _Pending:
    """The events of one timestamp, in the order of arrival; a person who comes again is left out when that saves memory."""

    def __init__(self) -> None:
        self._people: list[str] = []
        self._cells: list[Integers] = []
        self._limit = 1 << 12

    def add(self, people: Sequence[str], cells: Integers) -> None:
        """Take further events in."""
        self._people += people
        self._cells.append(cells)
        if len(self._people) > self._limit:
            once, where = self.each_once()
            self._people, self._cells, self._limit = once, [where], max(self._limit, 2 * len(once))

    def each_once(self) -> tuple[list[str], Integers]:
        """Everybody with the cell of the first event."""
        cells = np.concatenate(self._cells) if self._cells else np.zeros(0, dtype=np.int64)
        if len(set(self._people)) == len(self._people):
            return self._people, cells
        first = {person: place for place, person in reversed(list(enumerate(self._people)))}
        places = np.sort(np.fromiter(first.values(), dtype=np.intp, count=len(first)))
        return [self._people[place] for place in places.tolist()], cells[places]


def _earliest_of_each(firsts: list[tuple[int, int]], pending: Collection[int]) -> list[tuple[int, int]]:
    """The first offset of each timestamp that is not closed, as a heap."""
    earliest: dict[int, int] = {}
    for offset, place in sorted(firsts):
        if place in pending:
            earliest.setdefault(place, offset)
    return [(offset, place) for place, offset in earliest.items()]


def _picked(values: Sequence[str], part: Places) -> Sequence[str]:
    """The values at increasing places; a slice where these are next to each other."""
    start, end = int(part[0]), int(part[-1]) + 1
    return values[start:end] if end - start == part.size else [values[index] for index in part.tolist()]


def _part(batch: Batch, kept: Booleans) -> Batch:
    which = np.flatnonzero(kept).tolist()
    return Batch(
        times=batch.times[kept],
        people=[batch.people[index] for index in which],
        statuses=[batch.statuses[index] for index in which],
        offsets=batch.offsets[kept],
        end=batch.end,
        partition=batch.partition,
    )


# Which window belongs to whom: ids of people as small numbers, assigned and reused.
#
# A person whose window holds no spend is like a new one, so its number can be given to somebody else; memory is bounded by the
# people who have spent something, times the length of a window. Numbers depend only on the order of arrival, so that a replay
# of the journal gives the same ones.

_FEWEST = 1 << 14


class People:
    """Ids and their numbers."""

    def __init__(self, reserved: Sequence[str] = ()) -> None:
        """Nobody is known yet but those with `reserved` numbers, which they keep: their windows have another length."""
        self._numbers: dict[str, int] = {person: number for number, person in enumerate(reserved)}
        self._free: list[int] = []
        self._reserved = self._size = len(self._numbers)
        self._limit = _FEWEST

    def numbers_of(self, ids: Sequence[str]) -> tuple[Places, dict[str, int]]:
        """The number of each person, who are named once each, and those that are new: whoever had none."""
        found = np.fromiter(map(self._numbers.get, ids, repeat(-1)), dtype=np.intp, count=len(ids))
        new: dict[str, int] = {}
        for place in np.flatnonzero(found < 0).tolist():
            found[place] = new[ids[place]] = self._next()
        self._numbers.update(new)
        return found, new

    def learn(self, new: Mapping[str, int]) -> None:
        """Give people the numbers that they were given before."""
        for person, number in new.items():
            if self._next() != number:
                message = "the journal gives people other numbers than it should; it belongs to another version"
                raise LedgerDamagedError(message)
            self._numbers[person] = number

    def is_crowded(self) -> bool:
        """Whether it is time to look for people who can be forgotten."""
        return len(self._numbers) >= self._limit

    def forget(self, numbers: Places, release: Callable[[Places], None]) -> None:
        """Take numbers back; `release` makes their windows new."""
        gone = set(numbers[numbers >= self._reserved].tolist())
        kept = {person: number for person, number in self._numbers.items() if number not in gone}
        freed = sorted(number for number in self._numbers.values() if number in gone)
        self._numbers, self._free = kept, freed[::-1] + self._free
        self._limit = max(_FEWEST, 2 * len(kept))
        release(np.array(freed, dtype=np.intp))

    def state(self) -> dict[str, object]:
        """All that must survive a restart."""
        return {"numbers": self._numbers, "free": self._free, "size": self._size, "limit": self._limit}

    def restore(self, state: dict[str, object]) -> None:
        """Take up a state that was saved."""
        self._numbers = dict(state["numbers"])  # type: ignore[call-overload]  # JSON as it was saved
        self._free = list(state["free"])  # type: ignore[call-overload]
        self._size = int(state["size"])  # type: ignore[call-overload]
        self._limit = int(state["limit"])  # type: ignore[call-overload]

    def _next(self) -> int:
        if self._free:
            return self._free.pop()
        self._size += 1
        return self._size - 1
