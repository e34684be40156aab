"""Time grids: the public intervals into which times are put, and the cells in which visits and gaps between them are counted.

A time is published as the beginning of its interval. The grid must be fixed without looking at the data: which hours have
visitors is private. Times outside the grid are dropped by a declared rule, like labels outside the universe. Which cells there
are is public too, or decided by noisy answers.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError

__all__ = [
    "GapCells",
    "TimeGrid",
    "VisitCells",
    "day_lengths",
    "evenly_divided",
    "gap_bins",
    "iso_duration",
    "parsed_duration",
    "require_grid",
]

MOST_INTERVALS = 1_000_000
_FARTHEST = 2**60


@dataclass(frozen=True, kw_only=True)
class TimeGrid:
    """Intervals of equal length after a start; times are numbers, or dates in UTC.

    >>> TimeGrid(start=0, interval=60, intervals=3).beginnings
    (0, 60, 120)
    >>> morning = TimeGrid(start=datetime(2026, 5, 4, 6), interval=timedelta(hours=1), intervals=4)
    >>> print(morning.beginnings[1])
    2026-05-04 07:00:00+00:00
    """

    start: int | datetime
    interval: int | timedelta
    intervals: int

    def __post_init__(self) -> None:
        """Check that start and interval match; a date without a time zone is taken as UTC."""
        of_dates = isinstance(self.start, datetime) and isinstance(self.interval, timedelta)
        of_numbers = all(isinstance(value, int) and not isinstance(value, bool) for value in (self.start, self.interval))
        if not of_dates and not of_numbers:
            message = (
                "a time grid must have a date as start and a duration as interval, or two whole numbers, "
                f"got {self.start!r} and {self.interval!r}"
            )
            raise ParameterError(message)
        if isinstance(self.start, datetime):
            start = self.start.replace(tzinfo=UTC) if self.start.tzinfo is None else self.start.astimezone(UTC)
            object.__setattr__(self, "start", start)
        if not self.ticks_interval > 0 or not 1 <= self.intervals <= MOST_INTERVALS:
            message = (
                f"a time grid must have intervals of a positive length, 1 to {MOST_INTERVALS:,} of them, "
                f"got {self.intervals} of {self.interval}"
            )
            raise ParameterError(message)
        if not -_FARTHEST < self.ticks_start <= self.ticks_start + self.intervals * self.ticks_interval < _FARTHEST:
            message = f"a time grid must lie within the years 1 to 9999, or within 2**60, got {self.start} and {self.interval}"
            raise ParameterError(message)
        try:
            self.beginning(self.intervals - 1)
        except OverflowError:
            message = f"the intervals of a time grid must begin within the years 1 to 9999, got {self.start} and {self.interval}"
            raise ParameterError(message) from None

    @property
    def is_of_dates(self) -> bool:
        """Whether times are dates rather than numbers."""
        return isinstance(self.start, datetime)

    @property
    def ticks_start(self) -> int:
        """The start as a number: as it is, or in microseconds since 1970."""
        if isinstance(self.start, datetime):
            return (self.start - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
        return self.start

    @property
    def ticks_interval(self) -> int:
        """The interval as a number: as it is, or in microseconds."""
        return self.interval // timedelta(microseconds=1) if isinstance(self.interval, timedelta) else self.interval

    def beginning(self, place: int) -> int | datetime:
        """When one interval begins, by its place from 0."""
        if isinstance(self.start, datetime) and isinstance(self.interval, timedelta):
            return self.start + place * self.interval
        return self.ticks_start + place * self.ticks_interval

    @cached_property
    def beginnings(self) -> tuple[int | datetime, ...]:
        """When each interval begins."""
        return tuple(map(self.beginning, range(self.intervals)))

    def named(self, place: int) -> str:
        """When an interval begins, in words; a whole number may be a year, so that nothing groups its digits.

        >>> TimeGrid(start=2024, interval=1, intervals=3).named(1)
        '2025'
        """
        beginning = self.beginning(place)
        return beginning.strftime("%Y-%m-%d %H:%M") if isinstance(beginning, datetime) else str(beginning)

    def places(self, times: Integers) -> Integers:
        """The interval of each time (a number, or microseconds since 1970 in UTC), and -1 outside the grid."""
        end = self.ticks_start + self.intervals * self.ticks_interval
        inside = (times >= self.ticks_start) & (times < end)
        return np.where(inside, (np.where(inside, times, self.ticks_start) - self.ticks_start) // self.ticks_interval, -1)

    def is_coarser_than(self, finer: TimeGrid) -> bool:
        """Whether every interval of this grid is one or more of the other grid joined, from its first one on.

        >>> TimeGrid(start=0, interval=4, intervals=3).is_coarser_than(TimeGrid(start=0, interval=2, intervals=5))
        True
        """
        joined, rest = divmod(self.ticks_interval, finer.ticks_interval)
        begins_with = self.is_of_dates == finer.is_of_dates and self.ticks_start == finer.ticks_start
        return begins_with and rest == 0 and joined > 0 and self.intervals == -(-finer.intervals // joined)

    def as_json(self) -> dict[str, object]:
        """The grid as a manifest holds it."""
        text = f"{self.ticks_start} {self.ticks_interval} {self.intervals} {self.is_of_dates}"
        return {
            "start": self.start.isoformat() if isinstance(self.start, datetime) else self.start,
            "interval": iso_duration(self.interval) if isinstance(self.interval, timedelta) else self.interval,
            "intervals": self.intervals,
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }

    @classmethod
    def from_json(cls, described: Mapping[str, Any]) -> TimeGrid:
        """The grid that a manifest describes, checked against its hash."""
        try:
            start, step = described["start"], described["interval"]
            grid = cls(
                start=datetime.fromisoformat(start) if isinstance(start, str) else start,
                interval=parsed_duration(step) if isinstance(step, str) else step,
                intervals=described["intervals"],
            )
            fits = grid.as_json()["sha256"] == described["sha256"]
        except (ValueError, KeyError, TypeError):
            fits = False
        if not fits:
            message = "a time grid must be described by start, interval, intervals and their hash; this one is not"
            raise ParameterError(message)
        return grid


def iso_duration(duration: timedelta) -> str:
    """A duration as ISO 8601 writes it.

    >>> iso_duration(timedelta(days=1, minutes=15)), iso_duration(timedelta(milliseconds=1500))
    ('P1DT15M', 'PT1.5S')
    """
    minutes, seconds = divmod(duration.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{duration.microseconds:06d}".rstrip("0") if duration.microseconds else ""
    clock = "".join(f"{number}{unit}" for number, unit in ((hours, "H"), (minutes, "M")) if number)
    clock += f"{seconds}{fraction}S" if seconds or fraction else ""
    days = f"{duration.days}D" if duration.days else ""
    return f"P{days}{'T' + clock if clock else ''}" if days or clock else "PT0S"


def parsed_duration(text: str) -> timedelta:
    """Parse an ISO 8601 duration.

    >>> parsed_duration("P1DT15M")
    datetime.timedelta(days=1, seconds=900)
    """
    found = re.fullmatch(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?", text)
    if found is None or not any(found.groups()):
        message = f"a duration must be written as P1DT15M, got {text!r}"
        raise ValueError(message)
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[:4])
    return timedelta(
        days=days, hours=hours, minutes=minutes, seconds=seconds, microseconds=int((found.group(5) or "0").ljust(6, "0"))
    )


def require_grid(grid: object) -> None:
    """Refuse a string or a number where a time grid belongs."""
    if grid is not None and not isinstance(grid, TimeGrid):
        message = f"a time grid must be a TimeGrid(start=..., interval=..., intervals=...), got {type(grid).__name__}"
        raise ParameterError(message)


# Cells of visits and gaps.
#
# A visit belongs to a place and an interval of the grid. Visits to popular places are divided into many intervals, others into
# a few blocks of intervals or not at all. A *fold* joins intervals at the same time of several days: mornings differ from
# evenings in most places, and one Tuesday from the next in few.

DAYS = (86_400, 1_440, 24)
"""A day in seconds, minutes and hours, for grids of numbers, whose unit nobody has said."""

LEAST_OF_A_DAY = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class VisitCells:
    """A visit to place p in interval t is in cell first[p] + blocks[level[p], t]; there are `cells` of them."""

    first: Integers
    level: Integers
    blocks: Integers
    cells: int

    @classmethod
    def of(cls, level: Integers, blocks: Integers) -> VisitCells:
        """Places in order, each with as many cells as its level has blocks."""
        sizes = (blocks.max(axis=1) + 1)[level]
        ends = np.cumsum(sizes)
        return cls(first=ends - sizes, level=level, blocks=blocks, cells=int(ends[-1]) if ends.size else 0)

    def at(self, places: Integers, intervals: Integers) -> Integers:
        """The cell of each visit."""
        return np.asarray(self.first[places] + self.blocks[self.level[places], intervals], dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class GapCells:
    """The gap after a visit, by how many visits are left, by the block of its interval, and by the bin of its length."""

    by_left: Integers
    """The class of each number of visits that are left, from 0 on; after the last one there is no gap."""
    blocks: Integers
    bins: Integers

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, which are a class and a block each, and of bins."""
        return int(self.by_left.max() + 1) * int(self.blocks.max() + 1), int(self.bins.max() + 1)

    def rows(self, left: Integers, intervals: Integers) -> Integers:
        """The row of each visit after which others are left."""
        return np.asarray(self.by_left[left] * (int(self.blocks.max()) + 1) + self.blocks[intervals], dtype=np.int64)

    def at(self, left: Integers, intervals: Integers, gaps: Integers) -> Integers:
        """The cell of each gap."""
        return self.rows(left, intervals) * self.shape[1] + self.bins[gaps]


def day_lengths(grid: TimeGrid) -> tuple[int, ...]:
    """How many intervals a day may have; none if the grid is shorter than two days, or not a part of a day long."""
    interval = grid.interval
    days = (timedelta(days=1) / interval,) if isinstance(interval, timedelta) else tuple(day / interval for day in DAYS)
    return tuple(int(day) for day in days if day.is_integer() and LEAST_OF_A_DAY <= day <= grid.intervals / 2)


def evenly_divided(intervals: int, blocks: int, *, day: int | None = None) -> Integers:
    """The block of each interval, if all of them, or those of every day alike, are divided into blocks of nearly equal length.

    >>> evenly_divided(10, 2).tolist(), evenly_divided(10, 2, day=4).tolist()
    ([0, 0, 0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1, 0, 0])
    """
    length = intervals if day is None else day
    return np.arange(intervals, dtype=np.int64) % length * min(blocks, length) // length


def gap_bins(intervals: int, *, exact: int, widening: int) -> Integers:
    """The bin of each gap: short gaps have bins of their own, and long ones share bins a part of their own length wide.

    >>> gap_bins(12, exact=3, widening=3).tolist()
    [0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 8]
    """
    bins, number, start = np.zeros(intervals, dtype=np.int64), 0, 0
    while start < intervals:
        width = 1 if start < exact else max(1, start // widening)
        bins[start : start + width] = number
        start, number = start + width, number + 1
    return bins
